-- Adds the records of pending settlements to the usage sums, once each. One caller at a time; settlements
-- that are being changed are left for the next call.
-- @returns settlements summed; fewer than p_most: none are left for now
CREATE OR REPLACE FUNCTION roll_up_settlements(p_most int) RETURNS int
LANGUAGE plpgsql AS $$
DECLARE
  v_count int;
  v_request_ids text[];
  v_labelled_ids text[];
BEGIN
  IF NOT pg_try_advisory_xact_lock(hashtext('roll_up_settlements')) THEN RETURN 0; END IF;
  WITH taken AS (
    DELETE FROM pending_settlements WHERE number IN (
      SELECT number FROM pending_settlements ORDER BY number LIMIT p_most FOR UPDATE SKIP LOCKED
    ) RETURNING request_ids, labelled_ids
  )
  SELECT (SELECT count(*) FROM taken), ARRAY(SELECT unnest(request_ids) FROM taken),
    ARRAY(SELECT unnest(labelled_ids) FROM taken)
  INTO v_count, v_request_ids, v_labelled_ids;
  PERFORM sum_up(v_request_ids, NULL);
  IF v_labelled_ids <> '{}' THEN PERFORM add_label_sums(v_labelled_ids, NULL); END IF;
  RETURN v_count;
END
$$;
