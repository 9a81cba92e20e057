-- Sets money aside for as many needs as pools and budgets cover, in order, and some to spare when there is
-- plenty. Opens the allowance if needed. First takes back what the data plane does not use, so that a waiting
-- caller never holds money that could cover others.
-- A payer with uncollected money gets one request at a time, until its pools have that much again: one
-- need, and only while none of its allowances holds money. While one does, all of its money counts as held.
-- A payer with an unlimited pool gets whatever it needs.
--   p_payer                     levels in charging order, as payer_pools takes them
--   p_budgets                   windows of budgets in which all of the allowance's money counts; those of a
--                               known allowance stay: control planes of the previous release pass none
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
--   short                       when a budget does not cover the first need: id, size, room and held of the
--                               window with the least room; null: only the pools refuse
--   exceeded                    windows exceeded for the first time: a budget has refused a need, or one that
--                               only warns has let it pass
-- @throws lock_not_available, as take_back_allowance
CREATE OR REPLACE FUNCTION grant_allowance(
  p_id text, p_instance_id text, p_payer text[], p_budgets text[], p_needs bigint[], p_spare bigint,
  p_returned bigint DEFAULT 0,
  OUT lapsed boolean, OUT closed boolean, OUT granted bigint, OUT covered int, OUT exact boolean, OUT recall int,
  OUT recalls jsonb, OUT available bigint, OUT held bigint, OUT resets_at timestamptz, OUT short jsonb,
  OUT exceeded text[]
)
LANGUAGE plpgsql AS $$
DECLARE
  v_ids text[];
  v_has_budgets boolean;
  v_recalled boolean;
  v_unlimited boolean;
  v_uncollected bigint;
  v_one_by_one boolean;
  v_busy boolean;
  v_needs bigint[] := p_needs;
  -- What budgets leave for needs, and for spare money; null: no limit.
  v_room bigint;
  v_spare_room bigint;
  v_over_budget boolean;
  v_grant bigint := 0;
  v_spare bigint := 0;
  v_need bigint;
  v_take bigint;
  v_pool record;
BEGIN
  p_budgets := coalesce((SELECT a.budgets FROM allowances a WHERE a.id = p_id), p_budgets);
  v_has_budgets := p_budgets <> '{}';
  PERFORM lock_budgets(p_budgets);
  SELECT array_agg(id) INTO v_ids FROM payer_pools(p_payer);
  PERFORM lock_pools(v_ids);
  PERFORM take_back_allowance(p_id, p_returned, 0, false, NULL);
  SELECT coalesce(sum(remaining), 0), coalesce(sum(uncollected), 0),
    coalesce(bool_or(recalled_at > now() - interval '2 seconds'), false), coalesce(bool_or(unlimited), false)
  INTO available, v_uncollected, v_recalled, v_unlimited FROM pools WHERE id = ANY(v_ids);
  IF v_has_budgets THEN
    SELECT min(room) FILTER (WHERE NOT warns), min(room) FILTER (WHERE NOT warns OR NOT is_exceeded),
      v_recalled OR coalesce(bool_or(is_recalled), false)
    INTO v_room, v_spare_room, v_recalled FROM budget_rooms(p_budgets);
  END IF;
  v_one_by_one := v_uncollected > available AND NOT v_unlimited;
  IF v_uncollected > 0 AND NOT v_one_by_one THEN
    UPDATE pools SET uncollected = 0 WHERE id = ANY(v_ids) AND uncollected > 0;
  END IF;
  v_busy := v_one_by_one AND EXISTS (
    SELECT FROM allowances a JOIN allowance_parts part ON part.allowance_id = a.id
    WHERE part.pool_id = ANY(v_ids) AND part.held > 0 AND a.payer = p_payer AND a.closed_at IS NULL
  );
  IF v_one_by_one THEN v_needs := CASE WHEN v_busy THEN '{}' ELSE p_needs[1:1] END; END IF;
  INSERT INTO allowances (id, instance_id, payer, budgets)
  VALUES (p_id, p_instance_id, p_payer, p_budgets) ON CONFLICT DO NOTHING;
  SELECT a.closed_at IS NOT NULL INTO closed FROM allowances a WHERE a.id = p_id FOR UPDATE;
  lapsed := NOT EXISTS (
    SELECT FROM key_watchers w WHERE w.instance_id = p_instance_id AND w.lease_until > now()
  );
  covered := 0;
  v_over_budget := p_needs[1] > v_room;
  IF NOT closed AND NOT lapsed THEN
    FOREACH v_need IN ARRAY v_needs LOOP
      EXIT WHEN (v_grant + v_need > available AND NOT v_unlimited) OR v_grant + v_need > v_room;
      v_grant := v_grant + v_need;
      covered := covered + 1;
    END LOOP;
    -- Near the end of a pool or budget, and during recalls, nobody gets more than needed.
    IF covered = cardinality(p_needs) AND NOT v_recalled AND NOT v_one_by_one THEN
      v_spare := greatest(least(p_spare, (available - v_grant) / 8, (v_spare_room - v_grant) / 8), 0);
    END IF;
    v_grant := v_grant + v_spare;
    available := greatest(available - v_grant, 0);
  END IF;
  exact := v_spare = 0;
  UPDATE allowances a SET granted = a.granted + v_grant, exact = a.exact AND v_spare = 0, used_at = now()
  WHERE a.id = p_id RETURNING a.granted, a.recall INTO grant_allowance.granted, grant_allowance.recall;
  PERFORM change_budgets(p_budgets, v_grant, 0);
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
    SELECT jsonb_agg(r) INTO recalls FROM recall_sharers(
      -- Only of what is short.
      CASE WHEN v_over_budget AND NOT v_busy AND (v_unlimited OR p_needs[1] <= available) THEN '{}' ELSE v_ids END,
      ARRAY(SELECT id FROM budget_rooms(p_budgets) WHERE NOT warns AND room < p_needs[1]), p_id
    ) r;
    SELECT jsonb_build_object('id', id, 'size', size::text, 'room', room::text, 'held', b.held::text) INTO short
    FROM budget_rooms(p_budgets) b WHERE NOT warns AND room < p_needs[1] ORDER BY room, id LIMIT 1;
    IF short IS NULL AND recalls IS NULL AND NOT v_busy THEN
      UPDATE pools SET refused_at = now() WHERE id = ANY(v_ids) AND removed_at IS NULL AND refused_at IS NULL;
    END IF;
  END IF;
  recalls := coalesce(recalls, '[]');
  IF v_has_budgets AND recalls = '[]' THEN
    WITH noted AS (
      UPDATE budget_windows SET exceeded_at = now() WHERE id IN (
        SELECT id FROM budget_rooms(p_budgets)
        WHERE NOT is_exceeded AND CASE WHEN warns THEN room < 0 ELSE short IS NOT NULL AND room < p_needs[1] END
      ) RETURNING id
    )
    SELECT array_agg(id ORDER BY id) INTO exceeded FROM noted;
  END IF;
  exceeded := coalesce(exceeded, '{}');
  SELECT coalesce(sum(p.held), 0), min(p.resets_at) FILTER (WHERE coalesce(p.resets_at < p.expires_at, true))
  INTO grant_allowance.held, grant_allowance.resets_at
  FROM pools p WHERE p.id = ANY(v_ids);
  IF v_busy THEN
    held := held + available;
    available := 0;
  END IF;
END
$$;
