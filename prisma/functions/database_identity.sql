-- Identifies a database by cluster, database and log timeline. Point-in-time recovery and failover begin a
-- new timeline, a dump another database; each may have lost changes. The log's file name has the current
-- timeline, the last checkpoint maybe an older one.
CREATE OR REPLACE FUNCTION database_identity() RETURNS text
LANGUAGE sql STABLE AS $$
  SELECT (SELECT system_identifier FROM pg_control_system())
    || ':' || (SELECT oid FROM pg_database WHERE datname = current_database())
    || ':' || left(pg_walfile_name(pg_current_wal_lsn()), 8)
$$;
