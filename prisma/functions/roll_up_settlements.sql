-- Adds the records of settlements to the sums of usage, each settlement once: it is pending until the sums
-- have it. One at a time does so, and those that are just being changed are left for the next time.
-- @returns how many settlements were summed up; fewer than p_most: for now these were all
CREATE OR REPLACE FUNCTION roll_up_settlements(p_most int) RETURNS int
LANGUAGE plpgsql SET enable_seqscan = off SET jit = off AS $$
DECLARE
  v_numbers bigint[];
  v_first timestamptz;
  v_last timestamptz;
BEGIN
  IF NOT pg_try_advisory_xact_lock(hashtext('roll_up_settlements')) THEN RETURN 0; END IF;
  WITH taken AS (
    DELETE FROM pending_settlements WHERE number IN (
      SELECT number FROM pending_settlements ORDER BY number LIMIT p_most FOR UPDATE SKIP LOCKED
    ) RETURNING *
  )
  SELECT coalesce(array_agg(number), '{}'), min(first_ended_at), max(last_ended_at)
  INTO v_numbers, v_first, v_last FROM taken;
  PERFORM add_to_rollups(ARRAY(
    SELECT request_id FROM usage_records
    WHERE ended_at BETWEEN v_first AND v_last AND settlement = ANY(v_numbers)
  ), 1);
  RETURN cardinality(v_numbers);
END
$$;
