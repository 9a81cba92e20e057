-- Sets money aside for as many needs as the pools cover, in order, and some to spare when there is plenty.
-- Opens the allowance if needed. First takes back what the data plane does not use, so that a waiting caller
-- never holds money that could cover others.
-- A payer with uncollected money gets one request at a time, until its pools have that much again: one
-- need, and only while none of its allowances holds money. While one does, all of its money counts as held.
-- A payer with an unlimited pool gets whatever it needs.
--   p_payer                     levels in charging order, as payer_pools takes them
--   p_returned                  total the data plane has returned
--   lapsed                      no lease; nothing granted, because it could be freed at any moment
--   closed                      the allowance is closed; nothing granted, use a new id
--   granted                     total ever granted
--   covered                     number of needs that this grant covers
--   exact                       true when no spare money was granted
--   recall                      the last recall that the grant knew of
--   recalls                     when not even the first need is covered: recalls of other allowances, as an
--                               array of allowanceId and recall; when empty, the need cannot be covered
--   available, held, resets_at  of the payer's pools, after the grant
-- @throws lock_not_available, as take_back_allowance
CREATE OR REPLACE FUNCTION acquire_allowance(
  p_id text, p_instance_id text, p_payer text[], p_needs bigint[], p_spare bigint,
  p_returned bigint DEFAULT 0,
  OUT lapsed boolean, OUT closed boolean, OUT granted bigint, OUT covered int, OUT exact boolean, OUT recall int,
  OUT recalls jsonb, OUT available bigint, OUT held bigint, OUT resets_at timestamptz
)
LANGUAGE plpgsql AS $$
DECLARE
  v_ids text[];
  v_recalled boolean;
  v_unlimited boolean;
  v_uncollected bigint;
  v_one_by_one boolean;
  v_busy boolean;
  v_needs bigint[] := p_needs;
  v_grant bigint := 0;
  v_spare bigint := 0;
  v_need bigint;
  v_take bigint;
  v_pool record;
BEGIN
  SELECT array_agg(id) INTO v_ids FROM payer_pools(p_payer);
  PERFORM lock_pools(v_ids);
  PERFORM take_back_allowance(p_id, p_returned, 0, false, NULL);
  SELECT coalesce(sum(remaining), 0), coalesce(sum(uncollected), 0),
    coalesce(bool_or(recalled_at > now() - interval '2 seconds'), false), coalesce(bool_or(unlimited), false)
  INTO available, v_uncollected, v_recalled, v_unlimited FROM pools WHERE id = ANY(v_ids);
  v_one_by_one := v_uncollected > available AND NOT v_unlimited;
  IF v_uncollected > 0 AND NOT v_one_by_one THEN
    UPDATE pools SET uncollected = 0 WHERE id = ANY(v_ids) AND uncollected > 0;
  END IF;
  v_busy := v_one_by_one AND EXISTS (
    SELECT FROM allowances a JOIN allowance_parts part ON part.allowance_id = a.id
    WHERE part.pool_id = ANY(v_ids) AND part.held > 0 AND a.payer = p_payer AND a.closed_at IS NULL
  );
  IF v_one_by_one THEN v_needs := CASE WHEN v_busy THEN '{}' ELSE p_needs[1:1] END; END IF;
  INSERT INTO allowances (id, instance_id, payer)
  VALUES (p_id, p_instance_id, p_payer) ON CONFLICT DO NOTHING;
  SELECT a.closed_at IS NOT NULL INTO closed FROM allowances a WHERE a.id = p_id FOR UPDATE;
  lapsed := NOT EXISTS (
    SELECT FROM key_watchers w WHERE w.instance_id = p_instance_id AND w.lease_until > now()
  );
  covered := 0;
  IF NOT closed AND NOT lapsed THEN
    FOREACH v_need IN ARRAY v_needs LOOP
      EXIT WHEN v_grant + v_need > available AND NOT v_unlimited;
      v_grant := v_grant + v_need;
      covered := covered + 1;
    END LOOP;
    -- Near the end of a pool, and during recalls, nobody gets more than needed.
    IF covered = cardinality(p_needs) AND NOT v_recalled AND NOT v_one_by_one THEN
      v_spare := greatest(least(p_spare, (available - v_grant) / 8), 0);
    END IF;
    v_grant := v_grant + v_spare;
    available := greatest(available - v_grant, 0);
  END IF;
  exact := v_spare = 0;
  UPDATE allowances a SET granted = a.granted + v_grant, exact = a.exact AND v_spare = 0, used_at = now()
  WHERE a.id = p_id RETURNING a.granted, a.recall INTO acquire_allowance.granted, acquire_allowance.recall;
  FOR v_pool IN
    -- Without pools added since, which are not locked.
    SELECT p.id, p.remaining, p.unlimited FROM payer_pools(p_payer) p WHERE p.id = ANY(v_ids)
  LOOP
    EXIT WHEN v_grant = 0;
    v_take := CASE WHEN v_pool.unlimited THEN v_grant ELSE least(v_grant, v_pool.remaining) END;
    CONTINUE WHEN v_take = 0;
    UPDATE pools p SET remaining = p.remaining - v_take, held = p.held + v_take WHERE p.id = v_pool.id;
    INSERT INTO allowance_parts AS part (allowance_id, pool_id, held) VALUES (p_id, v_pool.id, v_take)
    ON CONFLICT (allowance_id, pool_id) DO UPDATE SET held = part.held + v_take;
    v_grant := v_grant - v_take;
  END LOOP;
  IF NOT closed AND NOT lapsed AND covered = 0 AND cardinality(p_needs) > 0 THEN
    SELECT jsonb_agg(r) INTO recalls FROM recall_allowances(v_ids, p_id) r;
  END IF;
  recalls := coalesce(recalls, '[]');
  SELECT coalesce(sum(p.held), 0), min(p.resets_at) FILTER (WHERE coalesce(p.resets_at < p.expires_at, true))
  INTO acquire_allowance.held, acquire_allowance.resets_at
  FROM pools p WHERE p.id = ANY(v_ids);
  IF v_busy THEN
    held := held + available;
    available := 0;
  END IF;
END
$$;
