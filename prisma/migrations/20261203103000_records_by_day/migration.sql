-- What is stored becomes the partition of requests without an arrival. No row is read: its checks and its key are there.
ALTER TABLE "usage_records" RENAME TO "usage_records_undated";
ALTER TABLE "usage_records_undated" DROP CONSTRAINT "usage_records_pkey";
ALTER TABLE "usage_records_undated" ADD CONSTRAINT "usage_records_undated_pkey"
  PRIMARY KEY USING INDEX "usage_records_request_id_arrival_key";
ALTER INDEX "usage_records_account_id_ended_at_idx" RENAME TO "usage_records_undated_account_id_ended_at_idx";
ALTER INDEX "usage_records_key_id_ended_at_idx" RENAME TO "usage_records_undated_key_id_ended_at_idx";
ALTER INDEX "usage_records_ended_at_idx" RENAME TO "usage_records_undated_ended_at_idx";

-- CreateTable
CREATE TABLE "usage_records" (
  LIKE "usage_records_undated" INCLUDING DEFAULTS INCLUDING CONSTRAINTS,
  CONSTRAINT "usage_records_pkey" PRIMARY KEY ("request_id", "arrival")
) PARTITION BY RANGE ("arrival");
ALTER TABLE "usage_records" DROP CONSTRAINT "usage_records_no_arrival";

-- CreateIndex
CREATE INDEX "usage_records_account_id_ended_at_idx" ON "usage_records"("account_id", "ended_at");

-- CreateIndex
CREATE INDEX "usage_records_key_id_ended_at_idx" ON "usage_records"("key_id", "ended_at");

ALTER TABLE "usage_records" ATTACH PARTITION "usage_records_undated" FOR VALUES FROM (MINVALUE) TO ('0');
CREATE TABLE "usage_records_rest" PARTITION OF "usage_records" DEFAULT;

-- When a request arrived, as its id says it: eight base62 characters of the millisecond, which sort like the
-- time (newRequestId). Ids of the release before are random, and what they say means nothing.
CREATE OR REPLACE FUNCTION arrival_of(p_request_id text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT substr(p_request_id, 5, 8) $$;

-- Makes the partitions of usage_records that are missing among those of the last and the next days (UTC). What
-- has no partition is in usage_records_rest until then. That is locked only for moments, and whoever needs it
-- waits no longer than the time-out. A day of which much is there already stays there.
-- @returns how many were made
CREATE OR REPLACE FUNCTION make_usage_partitions(p_back int, p_ahead int) RETURNS int
LANGUAGE plpgsql SET lock_timeout = '200ms' AS $$
DECLARE
  v_day timestamptz;
  v_name text;
  v_first text;
  v_next text;
  v_made int := 0;
BEGIN
  IF NOT pg_try_advisory_xact_lock(hashtext('usage_partitions')) THEN RETURN 0; END IF;
  FOR v_day IN
    SELECT date_trunc('day', now(), 'UTC') + make_interval(hours => 24 * n) FROM generate_series(-p_back, p_ahead) AS n
  LOOP
    v_name := to_char(v_day AT TIME ZONE 'UTC', '"usage_records_"YYYY_MM_DD');
    v_first := arrival_at(v_day);
    v_next := arrival_at(v_day + interval '24 hours');
    CONTINUE WHEN to_regclass(v_name) IS NOT NULL OR 20000 < (
      SELECT count(*) FROM (
        SELECT FROM usage_records_rest WHERE arrival >= v_first AND arrival < v_next LIMIT 20001
      ) AS found
    );
    LOCK TABLE usage_records_rest IN ACCESS EXCLUSIVE MODE;
    EXECUTE format('CREATE TABLE %I (LIKE usage_records INCLUDING ALL)', v_name);
    EXECUTE format(
      'WITH moved AS (DELETE FROM usage_records_rest WHERE arrival >= %L AND arrival < %L RETURNING *)
      INSERT INTO %I SELECT * FROM moved', v_first, v_next, v_name
    );
    EXECUTE format(
      'ALTER TABLE usage_records ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', v_name, v_first, v_next
    );
    v_made := v_made + 1;
  END LOOP;
  RETURN v_made;
END
$$;

-- Drops the partitions of usage_records whose requests all ended and were settled before a day (UTC) began: they
-- were settled up to two days after they had arrived, or are not there (settle_records). Settling waits while a
-- partition is dropped, no longer than the time-out.
-- @returns how many were dropped
CREATE OR REPLACE FUNCTION drop_usage_partitions(p_before timestamptz) RETURNS int
LANGUAGE plpgsql SET lock_timeout = '200ms' AS $$
DECLARE
  v_name text;
  v_dropped int := 0;
BEGIN
  IF NOT pg_try_advisory_xact_lock(hashtext('usage_partitions')) THEN RETURN 0; END IF;
  FOR v_name IN
    SELECT relname FROM pg_inherits JOIN pg_class ON oid = inhrelid
    WHERE inhparent = 'usage_records'::regclass AND relname ~ '^usage_records_\d{4}_\d\d_\d\d$'
      AND to_date(substr(relname, 15), 'YYYY_MM_DD')::timestamp AT TIME ZONE 'UTC' + interval '72 hours' <= p_before
  LOOP
    EXECUTE format('DROP TABLE %I', v_name);
    v_dropped := v_dropped + 1;
  END LOOP;
  RETURN v_dropped;
END
$$;

-- The release before deletes old records by their place in the table. In one that has partitions, each of them
-- has such a place, so that this would delete new records. Nothing is deleted then: this release does so.
CREATE OR REPLACE FUNCTION keep_records_of_ctid() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  RETURN NULL;
END
$$;

CREATE OR REPLACE TRIGGER "keep_records_of_ctid" BEFORE DELETE ON "usage_records"
FOR EACH ROW WHEN (current_query() LIKE '%DELETE FROM usage_records WHERE ctid%')
EXECUTE FUNCTION keep_records_of_ctid();
