-- Which database this is: the cluster, the database in it, and the timeline of its log. Recovery to a point
-- in time and a failover begin a new timeline, a dump is read into another database, and all of them may have
-- lost the last changes. The file name of the log has the timeline that is written now; the one of the last
-- checkpoint may be older.
CREATE OR REPLACE FUNCTION database_identity() RETURNS text
LANGUAGE sql STABLE AS $$
  SELECT (SELECT system_identifier FROM pg_control_system())
    || ':' || (SELECT oid FROM pg_database WHERE datname = current_database())
    || ':' || left(pg_walfile_name(pg_current_wal_lsn()), 8)
$$;
