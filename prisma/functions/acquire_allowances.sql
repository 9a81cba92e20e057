-- Sets money aside for many payers in one statement, as grant_allowance says. It waits for nobody, so that one
-- payer whose pools are in use holds up no other: a payer of whom somebody else has locked a pool or the
-- allowance is left out, and so is one without pools.
--   p_asked  an array of objects with id, account, seat, team, needs, spare and returned, the parameters of
--            acquire_allowance
-- @returns a row for each allowance that is not left out, also for those of which no need is covered
--
-- A connection keeps the plans of its first calls, when the tables were small, so reading whole tables is
-- switched off, and so is compiling.
CREATE OR REPLACE FUNCTION acquire_allowances(p_instance_id text, p_asked jsonb)
RETURNS TABLE (
  "allowanceId" text, lapsed boolean, closed boolean, granted bigint, covered int, exact boolean, recall int
)
LANGUAGE plpgsql SET enable_seqscan = off SET jit = off AS $$
DECLARE
  v_pools text[];
  v_ids text[];
BEGIN
  v_pools := lock_free_pools((
    SELECT array_agg(DISTINCT p.id)
    FROM jsonb_to_recordset(p_asked) AS ask (account text, seat text, team text),
      payer_pools(ask.account, ask.seat, ask.team) AS p
  ));
  WITH ask AS (
    SELECT * FROM jsonb_to_recordset(p_asked) AS ask (id text, account text, seat text, team text)
  ), free AS (
    SELECT a.id FROM allowances a WHERE a.id IN (SELECT ask.id FROM ask) FOR UPDATE SKIP LOCKED
  )
  SELECT array_agg(ask.id) INTO v_ids FROM ask
  WHERE (
    SELECT count(*) > 0 AND bool_and(p.id = ANY(v_pools)) FROM payer_pools(ask.account, ask.seat, ask.team) AS p
  ) AND (
    ask.id IN (SELECT free.id FROM free) OR NOT EXISTS (SELECT FROM allowances a WHERE a.id = ask.id)
  );
  PERFORM return_allowance(ask.id, ask.returned, 0, false)
  FROM jsonb_to_recordset(p_asked) AS ask (id text, returned bigint) JOIN allowances a ON a.id = ask.id
  WHERE ask.id = ANY(v_ids) AND ask.returned > a.returned;
  RETURN QUERY
    SELECT ask.id, g.lapsed, g.closed, g.granted, g.covered, g.exact, g.recall
    FROM jsonb_to_recordset(p_asked) AS ask (
      id text, account text, seat text, team text, needs bigint[], spare bigint
    ), grant_allowance(
      ask.id, p_instance_id, ask.account, ask.seat, ask.team, v_pools, ask.needs, ask.spare
    ) AS g
    WHERE ask.id = ANY(v_ids);
END
$$;
