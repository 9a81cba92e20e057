-- Adds the records of pending settlements to the usage sums, once each. One caller at a time; settlements
-- that are being changed are left for the next call.
-- @returns settlements summed (fewer than p_most: none are left for now), and the ids of their records
CREATE OR REPLACE FUNCTION roll_up_pending(p_most int, OUT settlements int, OUT request_ids text[])
LANGUAGE plpgsql AS $$
DECLARE
  v_labelled_ids text[];
BEGIN
  settlements := 0;
  request_ids := '{}';
  IF NOT pg_try_advisory_xact_lock(hashtext('roll_up_settlements')) THEN RETURN; END IF;
  WITH taken AS (
    DELETE FROM pending_settlements WHERE number IN (
      SELECT number FROM pending_settlements ORDER BY number LIMIT p_most FOR UPDATE SKIP LOCKED
    ) RETURNING pending_settlements.request_ids AS ids, labelled_ids
  )
  SELECT (SELECT count(*) FROM taken), ARRAY(SELECT unnest(ids) FROM taken),
    ARRAY(SELECT unnest(labelled_ids) FROM taken)
  INTO settlements, request_ids, v_labelled_ids;
  PERFORM sum_up(request_ids, NULL);
  IF v_labelled_ids <> '{}' THEN PERFORM add_label_sums(v_labelled_ids, NULL); END IF;
END
$$;
