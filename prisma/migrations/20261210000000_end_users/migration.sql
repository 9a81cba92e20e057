CREATE TABLE "end_users" (
  "account_id" TEXT NOT NULL,
  "id" TEXT NOT NULL,
  "external_id" TEXT,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "end_users_pkey" PRIMARY KEY ("account_id", "id")
);
CREATE UNIQUE INDEX "end_users_account_id_external_id_key" ON "end_users" ("account_id", "external_id");

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

-- Deletes a suspended account with all it has, so that nothing of it is left: teams, keys, rules, pools with
-- their ledger entries, and the usage that these paid for, also in budgets of accounts with seats in its
-- teams. Keeps its seats in teams of other accounts, whose pools paid for their usage, and then the account
-- itself.
-- @returns deleted usage records; null: requests still hold money of its pools, and nothing was deleted
CREATE OR REPLACE FUNCTION purge_account(p_account text) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
  v_teams text[];
  v_seats text[];
  v_keys text[];
  v_owners text[];
  v_pools text[];
  v_rule_owners text[];
  v_windows text[];
  v_requests text[];
BEGIN
  -- Nothing is added to the sums meanwhile (roll_up_settlements).
  PERFORM pg_advisory_xact_lock(hashtext('roll_up_settlements'));
  PERFORM FROM accounts WHERE id = p_account FOR UPDATE;
  v_teams := ARRAY(SELECT id FROM teams WHERE owner_account_id = p_account);
  v_seats := ARRAY(SELECT id FROM seats WHERE team_id = ANY(v_teams));
  v_keys := ARRAY(
    SELECT id FROM api_keys WHERE account_id = p_account AND seat_id IS NULL OR seat_id = ANY(v_seats)
  );
  v_owners := ARRAY(
    SELECT 'account:' || p_account UNION ALL SELECT 'team:' || unnest(v_teams) UNION ALL SELECT 'seat:' || unnest(v_seats)
  );
  v_pools := ARRAY(SELECT id FROM pools WHERE owner = ANY(v_owners));
  v_rule_owners := v_owners || ARRAY(SELECT 'key:' || unnest(v_keys)) || ('end_users:' || p_account) || ARRAY(
    SELECT owner FROM rules WHERE starts_with(owner, 'end_user:' || p_account || '/')
    UNION SELECT owner FROM budgets WHERE starts_with(owner, 'end_user:' || p_account || '/')
  );
  v_windows := ARRAY(
    SELECT w.id FROM budgets b JOIN budget_windows w ON w.budget_id = b.id WHERE b.owner = ANY(v_rule_owners)
  );
  PERFORM lock_budgets(v_windows || ARRAY(
    SELECT id FROM budget_windows WHERE id IN (
      SELECT unnest(budgets) FROM usage_records
      WHERE account_id = p_account AND seat_id IS NULL OR key_id = ANY(v_keys)
    )
  ));
  PERFORM lock_pools(v_pools);
  IF EXISTS (SELECT FROM pools WHERE id = ANY(v_pools) AND held > 0) THEN RETURN NULL; END IF;
  DELETE FROM allowances WHERE payer && v_owners;
  WITH deleted AS (
    DELETE FROM usage_records
    WHERE account_id = p_account AND seat_id IS NULL OR key_id = ANY(v_keys)
    RETURNING request_id, charged, budgets
  ), forgotten AS (
    UPDATE budget_windows w SET spent = w.spent - sum.charged
    FROM (
      SELECT window_id, sum(charged)::bigint AS charged FROM deleted, unnest(budgets) AS window_id GROUP BY 1
    ) AS sum
    WHERE w.id = sum.window_id
  )
  SELECT coalesce(array_agg(request_id), '{}') INTO v_requests FROM deleted;
  DELETE FROM usage_checkpoints WHERE key_id = ANY(v_keys);
  PERFORM FROM rollup_watermark FOR UPDATE;
  DELETE FROM usage_rollups WHERE account_id = p_account AND seat_id = '' OR seat_id = ANY(v_seats);
  DELETE FROM usage_days WHERE account_id = p_account AND seat_id = '' OR seat_id = ANY(v_seats);
  DELETE FROM usage_label_days WHERE account_id = p_account AND seat_id = '' OR seat_id = ANY(v_seats);
  DELETE FROM followed_responses WHERE request_id = ANY(v_requests);
  DELETE FROM refused_requests WHERE account_id = p_account AND seat_id IS NULL OR key_id = ANY(v_keys);
  DELETE FROM budget_windows WHERE id = ANY(v_windows);
  DELETE FROM budgets WHERE owner = ANY(v_rule_owners);
  DELETE FROM rules WHERE owner = ANY(v_rule_owners);
  DELETE FROM end_users WHERE account_id = p_account;
  DELETE FROM ledger_entries WHERE pool_id = ANY(v_pools);
  DELETE FROM pools WHERE id = ANY(v_pools);
  DELETE FROM api_keys WHERE id = ANY(v_keys);
  DELETE FROM seats WHERE id = ANY(v_seats);
  DELETE FROM seat_invitations i USING accounts a WHERE a.id = p_account AND i.email = a.email;
  DELETE FROM teams WHERE id = ANY(v_teams);
  DELETE FROM dashboard_users u USING accounts a WHERE a.id = p_account AND u.id = a.sign_in_id;
  DELETE FROM accounts WHERE id = p_account AND NOT EXISTS (SELECT FROM seats WHERE account_id = p_account);
  RETURN cardinality(v_requests);
END
$$;
