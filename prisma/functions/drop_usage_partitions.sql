-- Drops the daily partitions of usage_records that were complete before p_before. A partition is complete two
-- days after its day ends (UTC): records that settle later get no arrival, so another partition stores them
-- (settle_usage). The lock timeout bounds how long a drop makes settlements wait.
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
