-- Charges a stored request what it still owes: first the money its allowance holds, then the payer's pools.
-- Updates the record and the entries of its settlement. The caller has locked the record's budgets and the
-- payer's pools; one added since is locked without waiting. Charges at most what its allowance holds within
-- these budgets and what is left of each. Adds what no pool covers to `uncollected` of the payer's first
-- pool, and recalls the unused money of its pools, so that its requests run one at a time (grant_allowance).
-- @throws lock_not_available
CREATE OR REPLACE FUNCTION charge_request(p_request_id text, p_allowance_id text, p_payer text[]) RETURNS void
LANGUAGE plpgsql SET enable_seqscan = off SET jit = off AS $$
DECLARE
  v_record record;
  v_source record;
  v_due bigint;
  v_own boolean;
  -- Beyond the budgets.
  v_beyond bigint := 0;
  v_from_held bigint := 0;
  v_take bigint;
  v_charges jsonb;
BEGIN
  SELECT * INTO v_record FROM usage_records
  WHERE request_id = p_request_id AND arrival IN ('', arrival_of(p_request_id));
  v_due := v_record.uncollected;
  IF v_due = 0 THEN RETURN; END IF;
  PERFORM FROM pools WHERE id IN (SELECT p.id FROM payer_pools(p_payer) AS p) ORDER BY id FOR UPDATE NOWAIT;
  -- Money of an allowance counts in its own budgets.
  SELECT a.budgets = coalesce(v_record.budgets, '{}') INTO v_own FROM allowances a WHERE a.id = p_allowance_id;
  IF v_record.budgets <> '{}' THEN
    PERFORM FROM budget_windows WHERE id = ANY(v_record.budgets) ORDER BY id FOR UPDATE NOWAIT;
    SELECT greatest(v_due - greatest(min(room), 0) - coalesce((
      SELECT sum(held) FROM allowance_parts WHERE v_own AND allowance_id = p_allowance_id
    ), 0), 0) INTO v_beyond FROM budget_rooms(v_record.budgets) WHERE NOT warns HAVING count(*) > 0;
    v_beyond := coalesce(v_beyond, 0);
    v_due := v_due - v_beyond;
  END IF;
  v_charges := CASE
    WHEN v_record.charges IS NOT NULL THEN v_record.charges
    WHEN v_record.pool_id IS NOT NULL THEN jsonb_build_array(
      jsonb_build_object('poolId', v_record.pool_id, 'amount', v_record.charged)
    )
    ELSE '[]'
  END;
  FOR v_source IN
    SELECT p.id AS pool_id, source.amount, source.is_held
    FROM payer_pools(p_payer) WITH ORDINALITY AS p
    LEFT JOIN allowance_parts part ON part.pool_id = p.id AND part.allowance_id = p_allowance_id AND v_own
    CROSS JOIN LATERAL (
      VALUES (part.held, true), (CASE WHEN p.unlimited THEN v_due ELSE p.remaining END, false)
    ) AS source (amount, is_held)
    WHERE source.amount > 0
    ORDER BY NOT source.is_held, p.ordinality
  LOOP
    EXIT WHEN v_due = 0;
    v_take := least(v_due, v_source.amount);
    v_due := v_due - v_take;
    IF v_source.is_held THEN
      UPDATE allowance_parts SET held = held - v_take
      WHERE allowance_id = p_allowance_id AND pool_id = v_source.pool_id;
      UPDATE pools SET held = held - v_take, charged = charged + v_take WHERE id = v_source.pool_id;
      v_from_held := v_from_held + v_take;
    ELSE
      UPDATE pools SET remaining = remaining - v_take, charged = charged + v_take WHERE id = v_source.pool_id;
    END IF;
    INSERT INTO ledger_entries AS entry (pool_id, kind, amount, settlement)
    VALUES (v_source.pool_id, 'charge', -v_take, v_record.settlement)
    ON CONFLICT (settlement, pool_id) WHERE settlement IS NOT NULL DO UPDATE SET amount = entry.amount - v_take;
    v_charges := v_charges || jsonb_build_object('poolId', v_source.pool_id, 'amount', v_take);
  END LOOP;
  PERFORM change_budgets(v_record.budgets, -v_from_held, v_record.uncollected - v_beyond - v_due);
  -- Merges two payments of one pool, from the allowance and from the rest.
  SELECT coalesce(jsonb_agg(jsonb_build_object('poolId', pool_id, 'amount', amount) ORDER BY place), '[]')
  INTO v_charges
  FROM (
    SELECT charge->>'poolId' AS pool_id, sum((charge->>'amount')::bigint) AS amount, min(place) AS place
    FROM jsonb_array_elements(v_charges) WITH ORDINALITY AS given (charge, place) GROUP BY 1
  ) AS by_pool;
  UPDATE usage_records SET charged = cost - v_due - v_beyond, uncollected = v_due + v_beyond,
    pool_id = CASE WHEN jsonb_array_length(v_charges) = 1 THEN v_charges->0->>'poolId' END,
    charges = CASE WHEN jsonb_array_length(v_charges) > 1 THEN v_charges END
  WHERE request_id = p_request_id AND arrival IN ('', arrival_of(p_request_id));
  -- Of a provisional record, the final one decides.
  IF v_due = 0 OR v_record.is_provisional THEN RETURN; END IF;
  UPDATE pools SET uncollected = uncollected + v_due WHERE id = (SELECT p.id FROM payer_pools(p_payer) AS p LIMIT 1);
  UPDATE allowances SET recall = greatest(recall, answered + 1) WHERE id IN (
    SELECT a.id FROM allowances a JOIN allowance_parts part ON part.allowance_id = a.id
    WHERE part.held > 0 AND part.pool_id IN (SELECT p.id FROM payer_pools(p_payer) AS p)
      AND a.closed_at IS NULL AND NOT a.exact
    FOR UPDATE OF a SKIP LOCKED
  );
  PERFORM pg_notify('gateway_recalls', '');
END
$$;
