-- Sets money aside in one statement for many payers with plenty: their needs, and some to spare as in
-- grant_allowance. Leaves out all others: request these with grant_allowance. Waits for no lock, so that
-- no payer delays another and no deadlock arises: whatever is locked is left out too. Only locks that several
-- allowances with budgets need, such as those of an account whose keys have budgets, are worth waiting for,
-- once and in their order: each of them alone would wait, too. New windows are added in the same order.
--   p_ids, p_payers, ...  arrays by allowance; p_needs are sums. A payer, and its budgets, are the text form
--                         of a text[]: nested arrays in Postgres must have one length
-- @returns a row per allowance granted: total ever granted, and the last recall that the grant knew of
--
-- Plans come from a connection's first calls, when tables were small, so sequential scans and JIT are off.
-- One plan serves all calls: planning for each number of payers takes longer than granting.
CREATE OR REPLACE FUNCTION grant_allowances(
  p_instance_id text, p_ids text[], p_payers text[], p_budgets text[], p_needs bigint[], p_spares bigint[],
  p_returned bigint[]
)
RETURNS TABLE ("allowanceId" text, granted bigint, recall int)
LANGUAGE plpgsql
SET enable_seqscan = off SET jit = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  v_pools text[];
  v_known text[];
  v_has_budgets boolean := EXISTS (SELECT FROM unnest(p_budgets) AS given (budgets) WHERE budgets <> '{}');
  v_windows text[];
  -- Spare money that budgets leave for each allowance that has any; below 1: left out.
  v_limited text[];
  v_rooms bigint[];
BEGIN
  -- Without a lease, the grant could be freed at any moment.
  IF NOT EXISTS (SELECT FROM key_watchers w WHERE w.instance_id = p_instance_id AND w.lease_until > now()) THEN
    RETURN;
  END IF;
  IF v_has_budgets THEN
    PERFORM lock_budgets(ARRAY(
      SELECT given.id FROM unnest(p_budgets) AS ask (budgets), unnest(budgets::text[]) AS given (id) GROUP BY given.id
      HAVING count(*) > 1 OR NOT EXISTS (SELECT FROM budget_windows w WHERE w.id = given.id)
    ));
    SELECT array_agg(free.id) INTO v_windows FROM (
      SELECT id FROM budget_windows WHERE id IN (
        SELECT id FROM unnest(p_budgets) AS given (budgets), unnest(budgets::text[]) AS id
      ) ORDER BY id FOR UPDATE SKIP LOCKED
    ) AS free;
    PERFORM FROM pools WHERE id IN (
      SELECT p.id FROM (
        SELECT payer FROM unnest(p_payers, p_budgets) AS ask (payer, budgets)
        WHERE budgets <> '{}' GROUP BY payer HAVING count(*) > 1
      ) AS shared, payer_pools(shared.payer::text[]) AS p
    ) ORDER BY id FOR UPDATE;
  END IF;
  SELECT array_agg(free.id) INTO v_pools FROM (
    SELECT id FROM pools WHERE id IN (
      SELECT p.id FROM unnest(p_payers) AS payer, payer_pools(payer::text[]) AS p
    ) ORDER BY id FOR UPDATE SKIP LOCKED
  ) AS free;
  SELECT array_agg(free.id) INTO v_known FROM (
    SELECT a.id FROM allowances a WHERE a.id = ANY(p_ids) FOR UPDATE SKIP LOCKED
  ) AS free;
  IF v_has_budgets THEN
    WITH asked AS (
      SELECT ask.id, ask.need, window_id
      FROM unnest(p_ids, p_budgets, p_needs) AS ask (id, budgets, need), unnest(budgets::text[]) AS window_id
    )
    SELECT array_agg(id), array_agg(room) INTO v_limited, v_rooms FROM (
      SELECT share.id, min(share.room) AS room FROM (
        -- Allowances of one budget share its spare money. One that only warns does not limit once it is
        -- exceeded; one that was removed never does.
        SELECT asked.id, CASE
          WHEN (asked.window_id = ANY(v_windows)) IS NOT TRUE OR b.is_recalled THEN 0
          WHEN b.warns AND b.is_exceeded THEN NULL
          ELSE (b.room - (sum(asked.need) OVER same_window)::bigint) / (8 * count(*) OVER same_window)
        END AS room
        FROM asked LEFT JOIN budget_rooms(v_windows) b ON b.id = asked.window_id
        WINDOW same_window AS (PARTITION BY asked.window_id)
      ) AS share GROUP BY share.id
    ) AS limited;
  END IF;

  RETURN QUERY
  WITH payer AS (
    SELECT ask.id, ask.payer, ask.budgets, limited.room, ask.need, ask.spare, pool.id AS pool_id, pool.remaining, pool.pools
    FROM unnest(p_ids, p_payers, p_budgets, p_needs, p_spares, p_returned)
      AS ask (id, payer, budgets, need, spare, returned)
    LEFT JOIN allowances a ON a.id = ask.id
    LEFT JOIN unnest(v_limited, v_rooms) AS limited (id, room) ON limited.id = ask.id,
    LATERAL (
      -- First of the payer's pools with a balance.
      SELECT p.id, p.remaining, count(*) FILTER (WHERE p.remaining > 0) OVER () AS pools,
        bool_and(
          p.id = ANY(v_pools) AND coalesce(p.resets_at > now(), true)
            AND (p.removed_at IS NOT NULL OR coalesce(p.expires_at > now(), true))
            AND coalesce(p.recalled_at <= now() - interval '2 seconds', true) AND p.uncollected = 0
        ) OVER () AS usable
      FROM payer_pools(ask.payer::text[]) WITH ORDINALITY AS p
      ORDER BY p.remaining = 0, p.ordinality LIMIT 1
    ) AS pool
    WHERE pool.usable AND pool.remaining > 0
      AND (a.id IS NULL OR (
        a.id = ANY(v_known) AND a.closed_at IS NULL AND ask.returned <= a.returned AND a.budgets = ask.budgets::text[]
      ))
  ), share AS (
    -- Payers of one pool share its spare money.
    SELECT payer.*, least(
      payer.spare, payer.room,
      (remaining - (sum(need) OVER same_pool)::bigint) / (8 * count(*) OVER same_pool)
    ) AS more
    FROM payer WINDOW same_pool AS (PARTITION BY pool_id)
  ), plenty AS (
    SELECT share.*, share.need + share.more AS amount FROM share
    WHERE share.more > 0 AND (share.pools = 1 OR share.more = share.spare)
  ), drawn AS (
    UPDATE pools p SET remaining = p.remaining - sum.amount, held = p.held + sum.amount
    FROM (SELECT pool_id, sum(amount)::bigint AS amount FROM plenty GROUP BY pool_id) AS sum
    WHERE p.id = sum.pool_id
  ), budgeted AS (
    UPDATE budget_windows w SET held = w.held + sum.amount
    FROM (
      SELECT window_id, sum(amount)::bigint AS amount FROM plenty, unnest(plenty.budgets::text[]) AS window_id GROUP BY 1
    ) AS sum
    WHERE w.id = sum.window_id
  ), opened AS (
    INSERT INTO allowances AS a (id, instance_id, payer, budgets, granted, exact)
    SELECT plenty.id, p_instance_id, plenty.payer::text[], plenty.budgets::text[], amount, false FROM plenty
    ON CONFLICT (id) DO UPDATE SET granted = a.granted + EXCLUDED.granted, exact = false, used_at = now()
    RETURNING a.id, a.granted, a.recall
  ), parts AS (
    INSERT INTO allowance_parts AS part (allowance_id, pool_id, held)
    SELECT plenty.id, pool_id, amount FROM plenty
    ON CONFLICT (allowance_id, pool_id) DO UPDATE SET held = part.held + EXCLUDED.held
  )
  SELECT opened.id, opened.granted, opened.recall FROM opened;
END
$$;
