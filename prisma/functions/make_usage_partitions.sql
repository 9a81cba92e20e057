-- Creates missing partitions of usage_records for the past and next days (UTC). Until then their records
-- go to usage_records_rest, which is locked only briefly, within the timeout. A day with more than 20,000
-- records there keeps them there.
-- @returns how many were created
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
