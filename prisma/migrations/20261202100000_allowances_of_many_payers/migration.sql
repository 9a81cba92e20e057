-- Allowances of many payers are granted and returned in one statement. What acquire_allowance and acquire_allowances have
-- in common is grant_allowance; acquire_allowance does what it did.

-- Sets money aside for as many of the needs as can be covered, from the first on, and some to spare when
-- there is plenty. An allowance that does not exist is opened. The caller holds the locks of the pools.
--   p_pool_ids  the locked pools, those of other payers perhaps among them
--   lapsed      the data plane has no lease; nothing was granted, because it could be freed at any moment
--   closed      the allowance was closed; nothing was granted, a new id is needed
--   granted     all that was ever granted to the allowance
--   covered     how many of the needs this grant covers
--   exact       nothing was granted to spare
--   recall      the last recall that the grant knew of
--   available   what the payer's pools have left after the grant
CREATE OR REPLACE FUNCTION grant_allowance(
  p_id text, p_instance_id text, p_account_id text, p_seat_id text, p_team_id text, p_pool_ids text[],
  p_needs bigint[], p_spare bigint,
  OUT lapsed boolean, OUT closed boolean, OUT granted bigint, OUT covered int, OUT exact boolean, OUT recall int,
  OUT available bigint
)
LANGUAGE plpgsql AS $$
DECLARE
  v_recalled boolean;
  v_grant bigint := 0;
  v_spare bigint := 0;
  v_need bigint;
  v_take bigint;
  v_pool record;
BEGIN
  SELECT coalesce(sum(p.remaining), 0), coalesce(bool_or(p.recalled_at > now() - interval '2 seconds'), false)
  INTO available, v_recalled
  FROM payer_pools(p_account_id, p_seat_id, p_team_id) p WHERE p.id = ANY(p_pool_ids);
  SELECT a.closed_at IS NOT NULL INTO closed FROM allowances a WHERE a.id = p_id FOR UPDATE;
  closed := coalesce(closed, false);
  lapsed := NOT EXISTS (
    SELECT FROM key_watchers w WHERE w.instance_id = p_instance_id AND w.lease_until > now()
  );
  covered := 0;
  IF NOT closed AND NOT lapsed THEN
    FOREACH v_need IN ARRAY p_needs LOOP
      EXIT WHEN v_grant + v_need > available;
      v_grant := v_grant + v_need;
      covered := covered + 1;
    END LOOP;
    -- Near the end of a pool, and while others are asked for what they do not use, nobody gets more than is needed.
    IF covered = cardinality(p_needs) AND NOT v_recalled THEN
      v_spare := least(p_spare, (available - v_grant) / 8);
    END IF;
    v_grant := v_grant + v_spare;
    available := available - v_grant;
  END IF;
  exact := v_spare = 0;
  INSERT INTO allowances AS a (id, instance_id, account_id, seat_id, team_id, granted, exact)
  VALUES (p_id, p_instance_id, p_account_id, p_seat_id, p_team_id, v_grant, v_spare = 0)
  ON CONFLICT (id) DO UPDATE
  SET granted = a.granted + v_grant, exact = a.exact AND v_spare = 0, used_at = now()
  RETURNING a.granted, a.recall INTO grant_allowance.granted, grant_allowance.recall;
  FOR v_pool IN
    SELECT p.id, p.remaining FROM payer_pools(p_account_id, p_seat_id, p_team_id) p
    WHERE p.id = ANY(p_pool_ids)
  LOOP
    EXIT WHEN v_grant = 0;
    v_take := least(v_grant, v_pool.remaining);
    CONTINUE WHEN v_take = 0;
    UPDATE pools p SET remaining = p.remaining - v_take, held = p.held + v_take WHERE p.id = v_pool.id;
    INSERT INTO allowance_parts AS part (allowance_id, pool_id, held) VALUES (p_id, v_pool.id, v_take)
    ON CONFLICT (allowance_id, pool_id) DO UPDATE SET held = part.held + v_take;
    v_grant := v_grant - v_take;
  END LOOP;
END
$$;

-- Sets money aside for one payer, as grant_allowance says. What the data plane does not use is taken back
-- first, in the same statement, so that whoever waits for money never holds a part of it that could cover
-- somebody else. It waits for whoever has locked the payer's pools.
--   p_returned  all that the data plane says it has ever given back
--   lapsed, closed, granted, covered, exact, recall  see grant_allowance
--   recalls     when not even the first need is covered: what others have been asked for, as an array of
--               allowanceId and recall; without any, the need cannot be covered
--   available, held, resets_at  of the payer's pools, after the grant
CREATE OR REPLACE FUNCTION acquire_allowance(
  p_id text, p_instance_id text, p_account_id text, p_seat_id text, p_team_id text, p_needs bigint[],
  p_spare bigint, p_returned bigint DEFAULT 0,
  OUT lapsed boolean, OUT closed boolean, OUT granted bigint, OUT covered int, OUT exact boolean, OUT recall int,
  OUT recalls jsonb, OUT available bigint, OUT held bigint, OUT resets_at timestamptz
)
LANGUAGE plpgsql AS $$
DECLARE
  v_ids text[];
BEGIN
  SELECT array_agg(id) INTO v_ids FROM payer_pools(p_account_id, p_seat_id, p_team_id);
  PERFORM lock_pools(v_ids);
  PERFORM return_allowance(p_id, p_returned, 0, false);
  SELECT g.lapsed, g.closed, g.granted, g.covered, g.exact, g.recall, g.available
  INTO lapsed, closed, granted, covered, exact, recall, available
  FROM grant_allowance(
    p_id, p_instance_id, p_account_id, p_seat_id, p_team_id, v_ids, p_needs, p_spare
  ) AS g;
  IF NOT closed AND NOT lapsed AND covered = 0 AND cardinality(p_needs) > 0 THEN
    SELECT jsonb_agg(r) INTO recalls FROM recall_allowances(v_ids, p_id) r;
  END IF;
  recalls := coalesce(recalls, '[]');
  SELECT coalesce(sum(p.held), 0), min(p.resets_at) INTO acquire_allowance.held, acquire_allowance.resets_at
  FROM pools p WHERE p.id = ANY(v_ids);
END
$$;

-- Locks those of the pools that nobody else has locked at this moment, and fills those whose month is over. It
-- waits for none of the others: a transaction that waits for no lock is part of no deadlock, however many locks
-- it holds.
-- @returns the ids of the locked ones
CREATE OR REPLACE FUNCTION lock_free_pools(p_ids text[]) RETURNS text[]
LANGUAGE plpgsql AS $$
DECLARE
  v_ids text[];
BEGIN
  SELECT coalesce(array_agg(id), '{}') INTO v_ids FROM (
    SELECT id FROM pools WHERE id = ANY(p_ids) ORDER BY id FOR UPDATE SKIP LOCKED
  ) AS free;
  PERFORM lock_pools(v_ids);
  RETURN v_ids;
END
$$;

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

-- Takes back what many allowances do not use, in one statement, as return_allowance does of one. It waits for
-- nobody: an allowance that somebody else has locked, or of which somebody has locked a pool, is left out.
--   p_given  an array of objects with id, returned, recall, close and granted, the parameters of
--            return_allowance
-- @returns a row for each allowance that is not left out
CREATE OR REPLACE FUNCTION return_allowances(p_given jsonb)
RETURNS TABLE ("allowanceId" text, granted bigint, closed boolean)
LANGUAGE plpgsql SET enable_seqscan = off SET jit = off AS $$
DECLARE
  v_pools text[];
  v_ids text[];
BEGIN
  v_pools := lock_free_pools((
    SELECT array_agg(DISTINCT part.pool_id)
    FROM jsonb_to_recordset(p_given) AS given (id text) JOIN allowance_parts part ON part.allowance_id = given.id
  ));
  WITH given AS (
    SELECT * FROM jsonb_to_recordset(p_given) AS given (id text)
  ), free AS (
    SELECT a.id FROM allowances a WHERE a.id IN (SELECT given.id FROM given) FOR UPDATE SKIP LOCKED
  )
  SELECT array_agg(given.id) INTO v_ids FROM given
  WHERE NOT EXISTS (
    SELECT FROM allowance_parts part WHERE part.allowance_id = given.id AND part.pool_id <> ALL(v_pools)
  ) AND (
    given.id IN (SELECT free.id FROM free) OR NOT EXISTS (SELECT FROM allowances a WHERE a.id = given.id)
  );
  RETURN QUERY
    SELECT given.id, back.granted, back.closed
    FROM jsonb_to_recordset(p_given) AS given (
      id text, returned bigint, recall int, close boolean, granted bigint
    ), return_allowance(given.id, given.returned, given.recall, given.close, given.granted) AS back
    WHERE given.id = ANY(v_ids);
END
$$;
