-- Money for many payers who have plenty is granted and taken back in one statement. For all others, and for data planes
-- of the release before, acquire_allowance and return_allowance stay as they are.

-- Sets money aside for many payers who have plenty, in one statement: what each needs, and some to spare as in
-- acquire_allowance. Everybody else is left out and asks for money alone, by acquire_allowance. It waits for
-- nobody, so that one payer whose pools are in use holds up no other, and so that it can be part of no deadlock:
-- what somebody else has locked at this moment is left out, too.
--   p_ids, p_accounts, ...  the members of each allowance; p_needs are sums
-- @returns a row for each allowance that is not left out, with all that was ever granted to it, and the last
-- recall that the grant knew of
--
-- A connection keeps the plans of its first calls, when the tables were small, so reading whole tables is
-- switched off, and so is compiling. One plan is kept for all calls: to make one for each number of payers takes
-- longer than to grant them money.
CREATE OR REPLACE FUNCTION acquire_allowances(
  p_instance_id text, p_ids text[], p_accounts text[], p_seats text[], p_teams text[], p_needs bigint[],
  p_spares bigint[], p_returned bigint[]
)
RETURNS TABLE ("allowanceId" text, granted bigint, recall int)
LANGUAGE plpgsql
SET enable_seqscan = off SET jit = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  v_pools text[];
  v_known text[];
BEGIN
  -- Without a lease, what is granted could be freed at any moment.
  IF NOT EXISTS (SELECT FROM key_watchers w WHERE w.instance_id = p_instance_id AND w.lease_until > now()) THEN
    RETURN;
  END IF;
  SELECT array_agg(free.id) INTO v_pools FROM (
    SELECT id FROM pools WHERE id IN (
      SELECT p.id
      FROM unnest(p_accounts, p_seats, p_teams) AS ask (account, seat, team),
        payer_pools(ask.account, ask.seat, ask.team) AS p
    ) ORDER BY id FOR UPDATE SKIP LOCKED
  ) AS free;
  SELECT array_agg(free.id) INTO v_known FROM (
    SELECT a.id FROM allowances a WHERE a.id = ANY(p_ids) FOR UPDATE SKIP LOCKED
  ) AS free;

  RETURN QUERY
  WITH payer AS (
    SELECT ask.id, ask.account, ask.seat, ask.team, ask.need, ask.spare, pool.id AS pool_id, pool.remaining, pool.pools
    FROM unnest(p_ids, p_accounts, p_seats, p_teams, p_needs, p_spares, p_returned)
      AS ask (id, account, seat, team, need, spare, returned)
    LEFT JOIN allowances a ON a.id = ask.id,
    LATERAL (
      -- The first of the payer's pools that has anything left.
      SELECT p.id, p.remaining, count(*) FILTER (WHERE p.remaining > 0) OVER () AS pools,
        bool_and(
          p.id = ANY(v_pools) AND coalesce(p.resets_at > now(), true)
            AND coalesce(p.recalled_at <= now() - interval '2 seconds', true)
        ) OVER () AS usable
      FROM payer_pools(ask.account, ask.seat, ask.team) WITH ORDINALITY AS p
      ORDER BY p.remaining = 0, p.ordinality LIMIT 1
    ) AS pool
    WHERE pool.usable AND pool.remaining > 0
      AND (a.id IS NULL OR (a.id = ANY(v_known) AND a.closed_at IS NULL AND ask.returned <= a.returned))
  ), share AS (
    -- Payers who draw on one pool share what it has to spare.
    SELECT payer.*, least(
      payer.spare,
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
  ), opened AS (
    INSERT INTO allowances AS a (id, instance_id, account_id, seat_id, team_id, granted, exact)
    SELECT plenty.id, p_instance_id, account, seat, team, amount, false FROM plenty
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

-- Takes back what many allowances do not use, in one statement, as return_allowance does of one. It waits for
-- nobody, as acquire_allowances: an allowance that somebody else has locked, or of which somebody has locked a
-- pool, is left out. So is one that holds money of several pools and is not closed: the order in which they get
-- it back matters there.
--   p_returned  all that the data plane says it has ever given back
--   p_closes    everything is given back, and nothing can be granted any more
-- @returns a row for each allowance that is not left out, with all that was ever granted to it
-- Its plans are kept as those of acquire_allowances.
CREATE OR REPLACE FUNCTION return_allowances(p_ids text[], p_returned bigint[], p_closes boolean[])
RETURNS TABLE ("allowanceId" text, granted bigint, closed boolean)
LANGUAGE plpgsql
SET enable_seqscan = off SET jit = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  v_pools text[];
  v_ids text[];
BEGIN
  SELECT coalesce(array_agg(free.id), '{}') INTO v_pools FROM (
    SELECT id FROM pools WHERE id IN (
      SELECT part.pool_id FROM allowance_parts part WHERE part.allowance_id = ANY(p_ids)
    ) ORDER BY id FOR UPDATE SKIP LOCKED
  ) AS free;
  SELECT array_agg(free.id) INTO v_ids FROM (
    SELECT a.id FROM unnest(p_ids, p_closes) AS given (id, close) JOIN allowances a ON a.id = given.id
    WHERE a.closed_at IS NULL AND (
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
  ), checkpoints AS (
    DELETE FROM usage_checkpoints c USING back WHERE c.allowance_id = back.id AND back.close
  )
  UPDATE allowances a
  SET returned = back.returned, used_at = now(), closed_at = CASE WHEN back.close THEN now() END
  FROM back WHERE a.id = back.id
  RETURNING a.id, a.granted, back.close;
  -- Whoever waits for the answer to a recall has it, when the allowance is closed.
  IF true = ANY(p_closes) THEN PERFORM pg_notify('gateway_returns', ''); END IF;
END
$$;
