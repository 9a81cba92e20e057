-- Charges or refunds the difference between the final report of a request and its provisional record, with
-- ledger entries that name the corrected settlement. Pools are refunded in the reverse of the charging order.
-- The caller has stored the final record, and locked its budgets, the pools that were charged and the
-- payer's.
--   p_settlement, p_charged, p_pool, p_charges  of the provisional record
-- @throws lock_not_available when a pool added meanwhile is locked
CREATE OR REPLACE FUNCTION correct_charge(
  p_request_id text, p_allowance_id text, p_payer text[], p_settlement bigint, p_charged bigint, p_pool text,
  p_charges jsonb
) RETURNS void
LANGUAGE plpgsql SET enable_seqscan = off SET jit = off AS $$
DECLARE
  v_cost bigint;
  v_budgets text[];
  v_number bigint;
  v_charges jsonb := coalesce(p_charges, CASE
    WHEN p_pool IS NULL THEN '[]' ELSE jsonb_build_array(jsonb_build_object('poolId', p_pool, 'amount', p_charged))
  END);
  v_kept jsonb := '[]';
  v_paid record;
  v_back bigint;
BEGIN
  SELECT cost, budgets INTO v_cost, v_budgets FROM usage_records
  WHERE request_id = p_request_id AND arrival IN ('', arrival_of(p_request_id));
  IF v_cost < p_charged THEN
    FOR v_paid IN
      SELECT pool_id, amount, greatest(0, least(amount, v_cost - (total - amount))) AS kept
      FROM (
        SELECT charge->>'poolId' AS pool_id, (charge->>'amount')::bigint AS amount, place,
          sum((charge->>'amount')::bigint) OVER (ORDER BY place) AS total
        FROM jsonb_array_elements(v_charges) WITH ORDINALITY AS given (charge, place)
      ) AS paid
      ORDER BY place
    LOOP
      IF v_paid.kept > 0 THEN
        v_kept := v_kept || jsonb_build_object('poolId', v_paid.pool_id, 'amount', v_paid.kept);
      END IF;
      CONTINUE WHEN v_paid.kept = v_paid.amount;
      -- A pool that was reset since has this money again already.
      SELECT CASE
        WHEN p.resets_at IS NOT NULL
          AND entry.created_at < (p.resets_at AT TIME ZONE 'UTC' - interval '1 month') AT TIME ZONE 'UTC' THEN 0
        ELSE least(v_paid.amount - v_paid.kept, p.charged)
      END INTO v_back
      FROM pools p LEFT JOIN ledger_entries entry ON entry.settlement = p_settlement AND entry.pool_id = p.id
      WHERE p.id = v_paid.pool_id;
      UPDATE pools SET remaining = remaining + v_back, charged = charged - v_back
      WHERE id = v_paid.pool_id AND v_back > 0;
      INSERT INTO ledger_entries (pool_id, kind, amount, corrects)
      VALUES (v_paid.pool_id, 'correction', v_paid.amount - v_paid.kept, p_settlement);
      INSERT INTO ledger_entries (pool_id, kind, amount)
      SELECT v_paid.pool_id, 'reset', v_back - (v_paid.amount - v_paid.kept)
      WHERE v_back < v_paid.amount - v_paid.kept;
    END LOOP;
    v_charges := v_kept;
    PERFORM change_budgets(v_budgets, 0, v_cost - p_charged);
  END IF;
  -- Charges the rest as a settlement of its own, whose entries become corrections.
  v_number := nextval('pending_settlements_number_seq');
  UPDATE usage_records SET charged = least(cost, p_charged), uncollected = greatest(cost - p_charged, 0),
    settlement = v_number,
    pool_id = CASE WHEN jsonb_array_length(v_charges) = 1 THEN v_charges->0->>'poolId' END,
    charges = CASE WHEN jsonb_array_length(v_charges) > 1 THEN v_charges END
  WHERE request_id = p_request_id AND arrival IN ('', arrival_of(p_request_id));
  PERFORM charge_request(p_request_id, p_allowance_id, p_payer);
  UPDATE ledger_entries SET kind = 'correction', settlement = NULL, corrects = p_settlement
  WHERE settlement = v_number;
  UPDATE usage_records SET settlement = p_settlement
  WHERE request_id = p_request_id AND arrival IN ('', arrival_of(p_request_id));
END
$$;
