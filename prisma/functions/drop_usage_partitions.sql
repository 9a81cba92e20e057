-- Drops the partitions of usage_records whose requests all ended and were settled before a day (UTC) began. A
-- request that arrived on a day ends and is settled on that day or the next one; late_settlements says of which
-- that is not true. Settling waits while a partition is dropped, no longer than the time-out.
-- @returns how many were dropped
CREATE OR REPLACE FUNCTION drop_usage_partitions(p_before timestamptz) RETURNS int
LANGUAGE plpgsql SET lock_timeout = '200ms' AS $$
DECLARE
  v_partition record;
  v_dropped int := 0;
BEGIN
  IF NOT pg_try_advisory_xact_lock(hashtext('usage_partitions')) THEN RETURN 0; END IF;
  DELETE FROM late_settlements WHERE settled_at < p_before;
  FOR v_partition IN
    SELECT name FROM (
      SELECT relname AS name, to_date(substr(relname, 15), 'YYYY_MM_DD')::timestamp AT TIME ZONE 'UTC' AS day
      FROM pg_inherits JOIN pg_class ON oid = inhrelid
      WHERE inhparent = 'usage_records'::regclass AND relname ~ '^usage_records_\d{4}_\d\d_\d\d$'
    ) AS daily
    WHERE day + interval '48 hours' <= p_before AND NOT EXISTS (
      SELECT FROM late_settlements
      WHERE first_arrival < arrival_at(day + interval '24 hours') AND last_arrival >= arrival_at(day)
    )
  LOOP
    EXECUTE format('DROP TABLE %I', v_partition.name);
    v_dropped := v_dropped + 1;
  END LOOP;
  RETURN v_dropped;
END
$$;
