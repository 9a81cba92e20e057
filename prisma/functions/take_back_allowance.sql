-- Takes back unused money of an allowance, beginning with the pool that is charged last. The caller has
-- locked its budgets, and its payer's pools or those it holds money of; one added since is locked without
-- waiting.
--   p_returned  total the data plane has returned; repeated reports count once
--   p_recall    the recall being answered; 0: none
--   p_close     everything is returned, and nothing can be granted any more
--   p_granted   total the data plane knows of. While a grant is on its way, its recall stays open; null: all
-- @throws lock_not_available
CREATE OR REPLACE FUNCTION take_back_allowance(
  p_id text, p_returned bigint, p_recall int, p_close boolean, p_granted bigint,
  OUT granted bigint, OUT closed boolean
)
LANGUAGE plpgsql AS $$
DECLARE
  v_allowance allowances;
  v_recall int := p_recall;
  v_returned bigint;
  v_due bigint;
  v_taken bigint := 0;
  v_take bigint;
  v_part record;
BEGIN
  SELECT * INTO v_allowance FROM allowances WHERE id = p_id FOR UPDATE;
  -- Nobody else changes its money from here on.
  PERFORM FROM budget_windows WHERE id = ANY(v_allowance.budgets) ORDER BY id FOR UPDATE NOWAIT;
  PERFORM FROM pools WHERE id IN (
    SELECT part.pool_id FROM allowance_parts part WHERE part.allowance_id = p_id AND part.held > 0
  ) ORDER BY id FOR UPDATE NOWAIT;
  granted := coalesce(v_allowance.granted, 0);
  closed := v_allowance.id IS NULL OR v_allowance.closed_at IS NOT NULL;
  IF closed THEN RETURN; END IF;
  IF p_granted < granted THEN v_recall := 0; END IF;
  v_returned := greatest(least(p_returned, granted), v_allowance.returned);
  v_due := v_returned - v_allowance.returned;
  FOR v_part IN
    SELECT part.pool_id, part.held
    FROM payer_pools(v_allowance.payer) WITH ORDINALITY AS p
    JOIN allowance_parts part ON part.pool_id = p.id AND part.allowance_id = p_id
    WHERE part.held > 0 ORDER BY p.ordinality DESC
  LOOP
    v_take := CASE WHEN p_close THEN v_part.held ELSE least(v_due, v_part.held) END;
    CONTINUE WHEN v_take = 0;
    UPDATE allowance_parts SET held = held - v_take WHERE allowance_id = p_id AND pool_id = v_part.pool_id;
    UPDATE pools SET held = held - v_take, remaining = remaining + v_take WHERE id = v_part.pool_id;
    v_due := v_due - v_take;
    v_taken := v_taken + v_take;
  END LOOP;
  PERFORM change_budgets(v_allowance.budgets, -v_taken, 0);
  UPDATE allowances SET returned = v_returned, answered = greatest(answered, v_recall),
    exact = exact OR (v_recall > 0 AND v_recall >= recall), used_at = now(), closed_at = CASE WHEN p_close THEN now() END
  WHERE id = p_id;
  IF p_close THEN
    closed := true;
    -- Locked: being settled, or late.
    DELETE FROM usage_checkpoints WHERE request_id IN (
      SELECT request_id FROM usage_checkpoints WHERE allowance_id = p_id FOR UPDATE SKIP LOCKED
    );
  END IF;
  IF v_recall > 0 OR p_close THEN PERFORM pg_notify('gateway_returns', ''); END IF;
END
$$;
