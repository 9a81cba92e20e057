-- Deletes the id of an end user: its windows of budgets, its sums by label, and the id on usage records, which
-- stay without it. All other sums stay as they are. Requests that run meanwhile are recorded with the id when
-- they end.
--   p_budgets  ids that budgets of its rules and of the account's template can have
--   requests   usage records that named it; null: requests hold money within its budgets, nothing was deleted
--   recalls    then the recalls of unused money, as grant_allowance has them; empty: all of it is in use
CREATE OR REPLACE FUNCTION delete_end_user(
  p_account text, p_end_user text, p_budgets text[], OUT requests bigint, OUT recalls jsonb
)
LANGUAGE plpgsql AS $$
DECLARE
  v_windows text[];
  -- No record with the id ended before this.
  v_since timestamptz;
  v_record usage_records;
  v_records usage_records[] := '{}';
BEGIN
  -- Nothing is added to the sums meanwhile (roll_up_settlements).
  PERFORM pg_advisory_xact_lock(hashtext('roll_up_settlements'));
  v_windows := ARRAY(
    SELECT id FROM budget_windows
    WHERE budget_id = ANY(p_budgets) AND id = concat_ws('/', budget_id, split_part(id, '/', 2), p_end_user)
    ORDER BY id FOR UPDATE
  );
  IF EXISTS (SELECT FROM budget_windows WHERE id = ANY(v_windows) AND held > 0) THEN
    SELECT coalesce(jsonb_agg(r), '[]') INTO recalls FROM recall_sharers('{}', v_windows, '') r;
    RETURN;
  END IF;
  recalls := '[]';
  -- Open ones count the money of the next requests in these windows.
  UPDATE allowances SET budgets = ARRAY(SELECT id FROM unnest(budgets) AS id WHERE id <> ALL(v_windows))
  WHERE id IN (
    SELECT id FROM allowances WHERE closed_at IS NOT NULL AND budgets && v_windows ORDER BY id FOR UPDATE
  );
  DELETE FROM budget_windows WHERE id = ANY(v_windows);
  SELECT least(min(bucket), (SELECT min(first_ended_at) FROM pending_settlements)) INTO v_since
  FROM usage_label_days WHERE account_id = p_account AND label = 'end_user' AND value IN (p_end_user, '');
  PERFORM FROM usage_records WHERE account_id = p_account AND ended_at >= v_since AND end_user = p_end_user
  ORDER BY request_id FOR UPDATE;
  FOR v_record IN
    SELECT * FROM usage_records r WHERE account_id = p_account AND ended_at >= v_since AND end_user = p_end_user
      AND NOT EXISTS (SELECT FROM pending_settlements WHERE number = r.settlement)
  LOOP
    -- Subtracted from the sums of this label alone.
    v_record.tags := NULL;
    v_record.session := NULL;
    v_records := v_records || v_record;
    IF cardinality(v_records) = 10000 THEN
      PERFORM add_label_sums('{}', v_records);
      v_records := '{}';
    END IF;
  END LOOP;
  PERFORM add_label_sums('{}', v_records);
  -- Includes days whose records are deleted.
  DELETE FROM usage_label_days WHERE account_id = p_account AND label = 'end_user' AND value = p_end_user;
  WITH blanked AS (
    UPDATE usage_records SET end_user = NULL,
      budgets = nullif(ARRAY(SELECT id FROM unnest(budgets) AS id WHERE split_part(id, '/', 1) <> ALL(p_budgets)), '{}')
    WHERE account_id = p_account AND ended_at >= v_since AND end_user = p_end_user
    RETURNING 1
  )
  SELECT count(*) INTO requests FROM blanked;
  DELETE FROM end_users WHERE account_id = p_account AND id = p_end_user;
END
$$;
