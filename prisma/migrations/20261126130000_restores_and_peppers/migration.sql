-- What the control planes compare to notice that the database is not the one they know, such as a restored one.
-- CreateTable
CREATE TABLE "installation" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "epoch" TEXT NOT NULL,
    "identity" TEXT,
    "price_floor" INTEGER NOT NULL DEFAULT 0,
    "needs_migration" TEXT,
    "renewed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "installation_pkey" PRIMARY KEY ("id")
);

ALTER TABLE "installation" ADD CONSTRAINT "installation_one_row" CHECK ("id" = 1);

INSERT INTO "installation" ("epoch") VALUES (gen_random_uuid()::text);

-- While the pepper is replaced, a key is known by two hashes.
-- AlterTable
ALTER TABLE "api_keys" ADD COLUMN "previous_lookup_hash" TEXT, ADD COLUMN "pepper_fingerprint" TEXT;

-- AlterTable
ALTER TABLE "key_events" ADD COLUMN "previous_lookup_hash" TEXT;

-- Which database this is: the cluster, the database in it, and the timeline of its log. Recovery to a point in time and
-- a failover begin a new timeline, a dump is read into another database, and all of them may have lost the last
-- changes. The file name of the log has the timeline that is written now; the one of the last checkpoint may be older.
CREATE FUNCTION database_identity() RETURNS text
LANGUAGE sql STABLE AS $$
  SELECT (SELECT system_identifier FROM pg_control_system())
    || ':' || (SELECT oid FROM pg_database WHERE datname = current_database())
    || ':' || left(pg_walfile_name(pg_current_wal_lsn()), 8)
$$;

-- Begins a new epoch, unless somebody else has done that already. The counters jump further than they can have gone in
-- what was lost, so that no revision and no price version is ever given out twice.
--   p_expected   the epoch that the caller knows; null: whichever there is
--   @returns the epoch from now on
CREATE FUNCTION renew_epoch(p_expected text) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
  v_epoch text;
BEGIN
  UPDATE installation SET epoch = gen_random_uuid()::text, identity = database_identity(), renewed_at = now(),
    price_floor = greatest(price_floor, (SELECT coalesce(max(version), 0) FROM model_prices)) + 10000
  WHERE p_expected IS NULL OR epoch = p_expected
  RETURNING epoch INTO v_epoch;
  IF v_epoch IS NULL THEN
    SELECT epoch INTO v_epoch FROM installation;
    RETURN v_epoch;
  END IF;
  UPDATE revisions SET value = value + 1000000000;
  PERFORM pg_notify('gateway_catalog', ''), pg_notify('gateway_keys', ''), pg_notify('gateway_watchers', '');
  RETURN v_epoch;
END
$$;
