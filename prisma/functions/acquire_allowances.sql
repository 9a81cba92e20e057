-- Sets money aside for many payers who have plenty, in one statement: what each needs, and some to spare as in
-- acquire_allowance. Everybody else is left out and asks for money alone, by acquire_allowance. It waits for
-- nobody, so that one payer whose pools are in use holds up no other, and so that it can be part of no deadlock:
-- what somebody else has locked at this moment is left out, too.
--   p_ids, p_payers, ...  the members of each allowance; p_needs are sums. A payer is the text form of a text[],
--                         because Postgres requires arrays within an array to have one length
-- @returns a row for each allowance that is not left out, with all that was ever granted to it, and the last
-- recall that the grant knew of
--
-- A connection keeps the plans of its first calls, when the tables were small, so reading whole tables is
-- switched off, and so is compiling. One plan is kept for all calls: to make one for each number of payers takes
-- longer than to grant them money.
CREATE OR REPLACE FUNCTION acquire_allowances(
  p_instance_id text, p_ids text[], p_payers text[], p_needs bigint[], p_spares bigint[], p_returned bigint[]
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
      SELECT p.id FROM unnest(p_payers) AS payer, payer_pools(payer::text[]) AS p
    ) ORDER BY id FOR UPDATE SKIP LOCKED
  ) AS free;
  SELECT array_agg(free.id) INTO v_known FROM (
    SELECT a.id FROM allowances a WHERE a.id = ANY(p_ids) FOR UPDATE SKIP LOCKED
  ) AS free;

  RETURN QUERY
  WITH payer AS (
    SELECT ask.id, ask.payer, ask.need, ask.spare, pool.id AS pool_id, pool.remaining, pool.pools
    FROM unnest(p_ids, p_payers, p_needs, p_spares, p_returned) AS ask (id, payer, need, spare, returned)
    LEFT JOIN allowances a ON a.id = ask.id,
    LATERAL (
      -- The first of the payer's pools that has anything left.
      SELECT p.id, p.remaining, count(*) FILTER (WHERE p.remaining > 0) OVER () AS pools,
        bool_and(
          p.id = ANY(v_pools) AND coalesce(p.resets_at > now(), true)
            AND coalesce(p.recalled_at <= now() - interval '2 seconds', true)
        ) OVER () AS usable
      FROM payer_pools(ask.payer::text[]) WITH ORDINALITY AS p
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
    INSERT INTO allowances AS a (id, instance_id, payer, granted, exact)
    SELECT plenty.id, p_instance_id, plenty.payer::text[], amount, false FROM plenty
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
