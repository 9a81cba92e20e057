-- Takes back unused money of many allowances in one statement, as return_allowance does. Waits only for
-- what grant_allowances waits for, too: leaves out locked allowances, those with a locked pool or budget, and
-- checkpoints being settled; also open allowances with money of several pools, where the order of
-- returning matters.
--   p_returned  total the data plane has returned
--   p_closes    everything is returned, and nothing can be granted any more
-- @returns a row per allowance not left out, with the total ever granted
-- Plans: as in grant_allowances.
CREATE OR REPLACE FUNCTION return_allowances(p_ids text[], p_returned bigint[], p_closes boolean[])
RETURNS TABLE ("allowanceId" text, granted bigint, closed boolean)
LANGUAGE plpgsql
SET enable_seqscan = off SET jit = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  v_windows text[];
  v_pools text[];
  v_ids text[];
BEGIN
  PERFORM FROM budget_windows WHERE id IN (
    SELECT given.id FROM allowances a, unnest(a.budgets) AS given (id)
    WHERE a.id = ANY(p_ids) GROUP BY given.id HAVING count(*) > 1
  ) ORDER BY id FOR UPDATE;
  SELECT coalesce(array_agg(free.id), '{}') INTO v_windows FROM (
    SELECT id FROM budget_windows WHERE id IN (
      SELECT unnest(a.budgets) FROM allowances a WHERE a.id = ANY(p_ids)
    ) ORDER BY id FOR UPDATE SKIP LOCKED
  ) AS free;
  PERFORM FROM pools WHERE id IN (
    SELECT part.pool_id FROM allowances a JOIN allowance_parts part ON part.allowance_id = a.id
    WHERE a.id = ANY(p_ids) AND a.budgets <> '{}' GROUP BY 1 HAVING count(*) > 1
  ) ORDER BY id FOR UPDATE;
  SELECT coalesce(array_agg(free.id), '{}') INTO v_pools FROM (
    SELECT id FROM pools WHERE id IN (
      SELECT part.pool_id FROM allowance_parts part WHERE part.allowance_id = ANY(p_ids)
    ) ORDER BY id FOR UPDATE SKIP LOCKED
  ) AS free;
  SELECT array_agg(free.id) INTO v_ids FROM (
    SELECT a.id FROM unnest(p_ids, p_closes) AS given (id, close) JOIN allowances a ON a.id = given.id
    WHERE a.closed_at IS NULL AND a.budgets <@ v_windows AND (
      SELECT coalesce(bool_and(part.pool_id = ANY(v_pools)), true)
        AND (given.close OR count(*) FILTER (WHERE part.held > 0) <= 1)
      FROM allowance_parts part WHERE part.allowance_id = a.id
    )
    FOR UPDATE OF a SKIP LOCKED
  ) AS free;

  RETURN QUERY
  WITH back AS (
    SELECT a.id, given.close, greatest(least(given.returned, a.granted), a.returned) AS returned,
      a.returned AS before
    FROM unnest(p_ids, p_returned, p_closes) AS given (id, returned, close)
    JOIN allowances a ON a.id = given.id
    WHERE a.id = ANY(v_ids)
  ), taken AS (
    SELECT part.allowance_id, part.pool_id,
      CASE WHEN back.close THEN part.held ELSE least(part.held, back.returned - back.before) END AS amount
    FROM back JOIN allowance_parts part ON part.allowance_id = back.id
    WHERE part.held > 0
  ), parts AS (
    UPDATE allowance_parts part SET held = part.held - taken.amount FROM taken
    WHERE part.allowance_id = taken.allowance_id AND part.pool_id = taken.pool_id
  ), filled AS (
    UPDATE pools p SET held = p.held - sum.amount, remaining = p.remaining + sum.amount
    FROM (SELECT pool_id, sum(amount)::bigint AS amount FROM taken GROUP BY pool_id) AS sum
    WHERE p.id = sum.pool_id AND sum.amount > 0
  ), budgeted AS (
    UPDATE budget_windows w SET held = w.held - sum.amount
    FROM (
      SELECT window_id, sum(taken.amount)::bigint AS amount
      FROM taken JOIN allowances a ON a.id = taken.allowance_id, unnest(a.budgets) AS window_id GROUP BY 1
    ) AS sum
    WHERE w.id = sum.window_id AND sum.amount > 0
  ), checkpoints AS (
    DELETE FROM usage_checkpoints WHERE request_id IN (
      SELECT c.request_id FROM usage_checkpoints c JOIN back ON c.allowance_id = back.id
      WHERE back.close FOR UPDATE OF c SKIP LOCKED
    )
  )
  UPDATE allowances a
  SET returned = back.returned, used_at = now(), closed_at = CASE WHEN back.close THEN now() END
  FROM back WHERE a.id = back.id
  RETURNING a.id, a.granted, back.close;
  -- Closing answers any open recall.
  IF true = ANY(p_closes) THEN PERFORM pg_notify('gateway_returns', ''); END IF;
END
$$;
