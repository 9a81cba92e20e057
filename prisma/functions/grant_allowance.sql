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
