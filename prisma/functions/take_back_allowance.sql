-- Takes back what an allowance does not use: the last pool that would be drawn on gets it first. The caller has
-- locked the pools of its payer, or those that it holds money of; one that was added to these since is locked here,
-- but not waited for.
--   p_returned  all that the data plane says it has ever given back; what is said twice counts once
--   p_recall    the recall that this answers; 0: none
--   p_close     everything is given back, and nothing can be granted any more
--   p_granted   all that the data plane knows it was granted. While a grant is on its way to it, it cannot
--               answer for that, so a recall stays unanswered; null: all of it
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
  v_take bigint;
  v_part record;
BEGIN
  SELECT * INTO v_allowance FROM allowances WHERE id = p_id FOR UPDATE;
  -- From here on nobody else changes what it holds.
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
  END LOOP;
  UPDATE allowances SET returned = v_returned, answered = greatest(answered, v_recall),
    exact = exact OR (v_recall > 0 AND v_recall >= recall), used_at = now(), closed_at = CASE WHEN p_close THEN now() END
  WHERE id = p_id;
  IF p_close THEN
    closed := true;
    -- One that somebody else has is being settled, or is late.
    DELETE FROM usage_checkpoints WHERE request_id IN (
      SELECT request_id FROM usage_checkpoints WHERE allowance_id = p_id FOR UPDATE SKIP LOCKED
    );
  END IF;
  IF v_recall > 0 OR p_close THEN PERFORM pg_notify('gateway_returns', ''); END IF;
END
$$;
