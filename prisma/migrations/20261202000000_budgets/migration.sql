-- Counts what is set aside and spent in windows of budgets, beside the pools that pay.
ALTER TABLE "allowances" ADD COLUMN "budgets" TEXT[] DEFAULT '{}';

CREATE TABLE "budget_windows" (
    "id" TEXT NOT NULL,
    "budget_id" TEXT NOT NULL,
    "held" BIGINT NOT NULL DEFAULT 0,
    "spent" BIGINT NOT NULL DEFAULT 0,
    "recalled_at" TIMESTAMPTZ(3),
    "exceeded_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "budget_windows_pkey" PRIMARY KEY ("id")
);

CREATE INDEX "budget_windows_budget_id_idx" ON "budget_windows"("budget_id");

CREATE INDEX "budget_windows_created_at_idx" ON "budget_windows"("created_at");

-- Returns the limit of a budget now: that of a temporary raise until its end.
CREATE OR REPLACE FUNCTION budget_limit(p_budget budgets) RETURNS bigint
LANGUAGE sql STABLE AS $$
  SELECT CASE
    WHEN p_budget.temporary_until > now() THEN coalesce(p_budget.temporary_limit, p_budget."limit")
    ELSE p_budget."limit"
  END
$$;
-- Returns windows of budgets with what is left of them. Leaves out windows of removed budgets: these limit
-- nothing.
--   size         limit of the window now, so that a raise counts at once
--   room         what can still be set aside; below 0 after the limit was lowered or a raise has ended
--   is_recalled  unused money of allowances is being returned
--   is_exceeded  noted already
CREATE OR REPLACE FUNCTION budget_rooms(p_windows text[])
RETURNS TABLE (
  id text, warns boolean, size bigint, spent bigint, held bigint, room bigint, is_recalled boolean,
  is_exceeded boolean
)
LANGUAGE sql STABLE AS $$
  SELECT w.id, b.warns, size.now, w.spent, w.held, size.now - w.spent - w.held,
    coalesce(w.recalled_at > now() - interval '2 seconds', false), w.exceeded_at IS NOT NULL
  FROM budget_windows w JOIN budgets b ON b.id = w.budget_id, LATERAL (SELECT budget_limit(b) AS now) AS size
  WHERE w.id = ANY(p_windows)
$$;
-- Locks windows of budgets, and adds those that are not counted yet.
CREATE OR REPLACE FUNCTION lock_budgets(p_windows text[]) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  v_windows text[];
  v_locked int;
BEGIN
  IF coalesce(cardinality(p_windows), 0) = 0 THEN RETURN; END IF;
  v_windows := ARRAY(SELECT DISTINCT id FROM unnest(p_windows) AS id);
  IF (SELECT count(*) FROM budget_windows WHERE id = ANY(v_windows)) = cardinality(v_windows) THEN
    PERFORM FROM budget_windows WHERE id = ANY(v_windows) ORDER BY id FOR UPDATE;
    GET DIAGNOSTICS v_locked = ROW_COUNT;
    -- Fewer: one was unused, and deleted just now (AllowanceStore.prune).
    IF v_locked = cardinality(v_windows) THEN RETURN; END IF;
  END IF;
  -- Locks known and new ones in the same order.
  INSERT INTO budget_windows AS w (id, budget_id)
  SELECT id, split_part(id, '/', 1) FROM unnest(v_windows) AS id ORDER BY id
  ON CONFLICT (id) DO UPDATE SET held = w.held;
END
$$;
-- Changes what is held and spent in windows of budgets. The caller has locked them.
CREATE OR REPLACE FUNCTION change_budgets(p_windows text[], p_held bigint, p_spent bigint) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  IF coalesce(cardinality(p_windows), 0) = 0 OR (p_held = 0 AND p_spent = 0) THEN RETURN; END IF;
  UPDATE budget_windows SET held = held + p_held, spent = spent + p_spent WHERE id = ANY(p_windows);
END
$$;
-- Recalls unused money of other allowances that hold money of pools or within budgets; the caller holds the
-- locks of both.
-- @returns the allowances that must reply, each with its recall; an open recall is not repeated. Includes
-- those of lost data planes, which cannot reply: nobody uses their money.
CREATE OR REPLACE FUNCTION recall_sharers(p_pool_ids text[], p_windows text[], p_except text)
RETURNS TABLE ("allowanceId" text, recall int)
LANGUAGE plpgsql AS $$
BEGIN
  UPDATE pools SET recalled_at = now() WHERE id = ANY(p_pool_ids);
  UPDATE budget_windows SET recalled_at = now() WHERE id = ANY(p_windows);
  RETURN QUERY
    UPDATE allowances a SET recall = greatest(a.recall, a.answered + 1)
    WHERE a.id IN (
      SELECT other.id FROM allowances other
      WHERE other.closed_at IS NULL AND other.id <> p_except AND other.id IN (
        SELECT part.allowance_id FROM allowance_parts part WHERE part.pool_id = ANY(p_pool_ids) AND part.held > 0
        UNION ALL
        SELECT sharer.id FROM allowances sharer
        WHERE sharer.closed_at IS NULL AND sharer.budgets <> '{}' AND sharer.budgets && p_windows
      ) AND (
        NOT other.exact OR NOT EXISTS (
          SELECT FROM key_watchers w WHERE w.instance_id = other.instance_id AND w.lease_until > now()
        )
      )
      ORDER BY other.id FOR UPDATE OF other
    )
    RETURNING a.id, a.recall;
  PERFORM pg_notify('gateway_recalls', '');
END
$$;
-- Recalls unused money of other allowances on pools, as recall_sharers; the caller holds the pools' locks.
CREATE OR REPLACE FUNCTION recall_allowances(p_pool_ids text[], p_except text)
RETURNS TABLE ("allowanceId" text, recall int)
LANGUAGE plpgsql AS $$
BEGIN
  RETURN QUERY SELECT * FROM recall_sharers(p_pool_ids, '{}', p_except);
END
$$;
-- Locks pools, and refills those past their month. Held money stays held, and is charged to the new month.
-- What a pool gets makes up for as much uncollected money (grant_allowance).
-- Removes pools that have expired: an entry takes out what is left, and allowances are recalled. Running
-- requests can still use what is held for them.
CREATE OR REPLACE FUNCTION lock_pools(p_ids text[]) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  v_expired text[];
BEGIN
  PERFORM FROM pools WHERE id = ANY(p_ids) ORDER BY id FOR UPDATE;
  INSERT INTO ledger_entries (pool_id, kind, amount)
  SELECT id, 'reset', charged FROM pools
  WHERE id = ANY(p_ids) AND resets_at <= now() AND coalesce(resets_at < expires_at, true) AND charged > 0;
  UPDATE pools SET remaining = included - held, charged = 0, resets_at = next_month(),
    uncollected = greatest(uncollected - included, 0)
  WHERE id = ANY(p_ids) AND resets_at <= now() AND coalesce(resets_at < expires_at, true);
  SELECT array_agg(id) INTO v_expired FROM pools
  WHERE id = ANY(p_ids) AND expires_at <= now() AND removed_at IS NULL;
  IF v_expired IS NULL THEN RETURN; END IF;
  INSERT INTO ledger_entries (pool_id, kind, amount)
  SELECT id, 'expired', CASE WHEN unlimited THEN held + charged ELSE -remaining END FROM pools
  WHERE id = ANY(v_expired);
  UPDATE pools SET unlimited = false, included = held + charged, remaining = 0, resets_at = NULL,
    removed_at = now()
  WHERE id = ANY(v_expired);
  PERFORM recall_allowances(v_expired, '');
END
$$;
-- Returns what ended requests of a payer cost beyond all its pools, until these have that much again.
-- Volatile, so that a statement which also calls grant_allowance reads what that has changed.
CREATE OR REPLACE FUNCTION uncollected_of(p_payer text[]) RETURNS bigint
LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN (SELECT coalesce(sum(uncollected), 0) FROM payer_pools(p_payer));
END
$$;
-- Changes what a pool includes, with a ledger entry of the difference, but never below what is used or held.
--   p_included     null: unlimited
--   p_name         new name; null: unchanged
--   changed        false: too much is used or held, or the pool is removed
--   recalls        recalls whose money would allow the change, as in grant_allowance
--   charged, held  of the pool
CREATE OR REPLACE FUNCTION change_pool(
  p_id text, p_included bigint, p_name text,
  OUT changed boolean, OUT recalls jsonb, OUT charged bigint, OUT held bigint
)
LANGUAGE plpgsql AS $$
DECLARE
  v_pool pools;
  v_before bigint;
BEGIN
  PERFORM lock_pools(ARRAY[p_id]);
  SELECT * INTO v_pool FROM pools WHERE id = p_id;
  v_before := CASE WHEN NOT v_pool.unlimited THEN v_pool.included END;
  charged := coalesce(v_pool.charged, 0);
  held := coalesce(v_pool.held, 0);
  changed := v_pool.id IS NOT NULL AND v_pool.removed_at IS NULL
    AND coalesce(p_included >= charged + held, true);
  IF changed AND p_included IS DISTINCT FROM v_before THEN
    UPDATE pools p SET unlimited = p_included IS NULL, included = coalesce(p_included, 0),
      remaining = coalesce(p_included - p.charged - p.held, 0), name = coalesce(p_name, p.name)
    WHERE p.id = p_id;
    INSERT INTO ledger_entries (pool_id, kind, amount)
    VALUES (p_id, 'changed', coalesce(p_included, 0) - coalesce(v_before, 0));
  ELSIF NOT changed AND v_pool.removed_at IS NULL AND p_included >= charged THEN
    SELECT jsonb_agg(r) INTO recalls FROM recall_allowances(ARRAY[p_id], '') r;
  END IF;
  recalls := coalesce(recalls, '[]');
END
$$;
-- Moves unused money to another owner: to its pool named p_name with the same reset rule and expiry, or to a
-- new one. Takes nothing out of an unlimited pool, and gives it nothing.
--   p_to             id of a new pool
--   p_owner          receiver, as in `pools.owner`
--   p_max            maximum of the receiver's pools
--   moved            false: too little is left, or too many pools
--   too_many         the receiver has the maximum of pools
--   recalls          recalls because too little is left, as in grant_allowance
--   target           the receiving pool; never a removed one
--   remaining, held  of the source pool
CREATE OR REPLACE FUNCTION move_pool_money(
  p_from text, p_amount bigint, p_to text, p_name text, p_owner text, p_max int,
  OUT moved boolean, OUT too_many boolean, OUT recalls jsonb, OUT target text, OUT remaining bigint,
  OUT held bigint
)
LANGUAGE plpgsql AS $$
DECLARE
  v_source pools;
  v_gone boolean;
BEGIN
  SELECT min(other.id) INTO target FROM pools source, pools other
  WHERE source.id = p_from AND other.id <> p_from AND other.name = p_name AND other.removed_at IS NULL
    AND (other.resets_at IS NULL) = (source.resets_at IS NULL) AND other.owner = p_owner
    AND other.expires_at IS NOT DISTINCT FROM source.expires_at AND NOT other.unlimited;
  PERFORM lock_pools(array_remove(ARRAY[p_from, target], NULL));
  -- May have changed while waiting for its lock.
  SELECT p.removed_at IS NOT NULL OR p.unlimited INTO v_gone FROM pools p WHERE p.id = target;
  IF v_gone THEN target := NULL; END IF;
  SELECT * INTO v_source FROM pools p WHERE p.id = p_from;
  remaining := CASE WHEN v_source.unlimited THEN 0 ELSE v_source.remaining END;
  held := v_source.held;
  too_many := target IS NULL AND p_max <= (
    SELECT count(*) FROM pools p WHERE p.owner = p_owner AND p.removed_at IS NULL
  );
  moved := coalesce(p_amount > 0 AND p_amount <= remaining AND NOT too_many, false);
  IF moved THEN
    remaining := remaining - p_amount;
    UPDATE pools p SET included = p.included - p_amount, remaining = p.remaining - p_amount WHERE p.id = p_from;
    IF target IS NULL THEN
      target := p_to;
      INSERT INTO pools (id, name, owner, included, remaining, resets_at, expires_at)
      VALUES (p_to, p_name, p_owner, p_amount, p_amount, v_source.resets_at, v_source.expires_at);
    ELSE
      UPDATE pools p SET included = p.included + p_amount, remaining = p.remaining + p_amount WHERE p.id = target;
    END IF;
    INSERT INTO ledger_entries (pool_id, kind, amount)
    VALUES (p_from, 'moved', -p_amount), (target, 'moved', p_amount);
  ELSIF NOT too_many AND NOT v_source.unlimited AND p_amount <= remaining + held THEN
    SELECT jsonb_agg(r) INTO recalls FROM recall_allowances(ARRAY[p_from], '') r;
  END IF;
  recalls := coalesce(recalls, '[]');
END
$$;
-- Removes a pool: takes out unused money with a ledger entry. Used money stays, and held money until its
-- requests end. Repeated calls return the same.
--   taken    taken out at the removal; 0 for an unlimited pool
--   recalls  recalls so that unused money returns now, as in grant_allowance
CREATE OR REPLACE FUNCTION remove_pool(p_id text, OUT taken bigint, OUT recalls jsonb)
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM lock_pools(ARRAY[p_id]);
  SELECT CASE WHEN p.unlimited THEN 0 ELSE p.remaining END INTO taken FROM pools p
  WHERE p.id = p_id AND p.removed_at IS NULL;
  IF taken IS NOT NULL THEN
    -- The entries of an unlimited pool did not count what it includes.
    INSERT INTO ledger_entries (pool_id, kind, amount)
    SELECT p_id, 'removed', CASE WHEN p.unlimited THEN p.held + p.charged ELSE -taken END FROM pools p
    WHERE p.id = p_id;
    UPDATE pools p SET unlimited = false, included = p.held + p.charged, remaining = 0, resets_at = NULL,
      removed_at = now()
    WHERE p.id = p_id;
  END IF;
  SELECT greatest(coalesce(taken, -amount), 0) INTO taken FROM (SELECT 1) AS one LEFT JOIN (
    SELECT amount FROM ledger_entries WHERE pool_id = p_id AND kind = 'removed' ORDER BY id LIMIT 1
  ) AS entry ON true;
  SELECT jsonb_agg(r) INTO recalls FROM recall_allowances(ARRAY[p_id], '') r;
  recalls := coalesce(recalls, '[]');
END
$$;
-- Takes back unused money of an allowance, beginning with the pool that is charged last. The caller has
-- locked its budgets, and its payer's pools or those it holds money of; one added since is locked without
-- waiting.
--   p_returned  total the data plane has returned; repeated reports count once
--   p_recall    the recall being answered; 0: none
--   p_close     everything is returned, and nothing can be granted any more
--   p_granted   total the data plane knows of. While a grant is on its way, its recall stays open; null: all
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
  v_taken bigint := 0;
  v_take bigint;
  v_part record;
BEGIN
  SELECT * INTO v_allowance FROM allowances WHERE id = p_id FOR UPDATE;
  -- Nobody else changes its money from here on.
  PERFORM FROM budget_windows WHERE id = ANY(v_allowance.budgets) ORDER BY id FOR UPDATE NOWAIT;
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
    v_taken := v_taken + v_take;
  END LOOP;
  PERFORM change_budgets(v_allowance.budgets, -v_taken, 0);
  UPDATE allowances SET returned = v_returned, answered = greatest(answered, v_recall),
    exact = exact OR (v_recall > 0 AND v_recall >= recall), used_at = now(), closed_at = CASE WHEN p_close THEN now() END
  WHERE id = p_id;
  IF p_close THEN
    closed := true;
    -- Locked: being settled, or late.
    DELETE FROM usage_checkpoints WHERE request_id IN (
      SELECT request_id FROM usage_checkpoints WHERE allowance_id = p_id FOR UPDATE SKIP LOCKED
    );
  END IF;
  IF v_recall > 0 OR p_close THEN PERFORM pg_notify('gateway_returns', ''); END IF;
END
$$;
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
-- For the previous release: sets money aside without budgets (grant_allowance).
CREATE OR REPLACE FUNCTION acquire_allowance(
  p_id text, p_instance_id text, p_payer text[], p_needs bigint[], p_spare bigint,
  p_returned bigint DEFAULT 0,
  OUT lapsed boolean, OUT closed boolean, OUT granted bigint, OUT covered int, OUT exact boolean, OUT recall int,
  OUT recalls jsonb, OUT available bigint, OUT held bigint, OUT resets_at timestamptz
)
LANGUAGE sql AS $$
  SELECT lapsed, closed, granted, covered, exact, recall, recalls, available, held, resets_at
  FROM grant_allowance(p_id, p_instance_id, p_payer, '{}', p_needs, p_spare, p_returned)
$$;
-- For the previous release: sets money aside for many payers without budgets (grant_allowances).
CREATE OR REPLACE FUNCTION acquire_allowances(
  p_instance_id text, p_ids text[], p_payers text[], p_needs bigint[], p_spares bigint[], p_returned bigint[]
)
RETURNS TABLE ("allowanceId" text, granted bigint, recall int)
LANGUAGE sql AS $$
  SELECT * FROM grant_allowances(
    p_instance_id, p_ids, p_payers, array_fill('{}'::text, ARRAY[cardinality(p_ids)]), p_needs, p_spares, p_returned
  )
$$;
-- Takes back unused money of an allowance, after locking its budgets and the pools it holds money of.
-- Parameters, result and errors as take_back_allowance.
CREATE OR REPLACE FUNCTION return_allowance(
  p_id text, p_returned bigint, p_recall int, p_close boolean, p_granted bigint DEFAULT NULL,
  OUT granted bigint, OUT closed boolean
)
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM lock_budgets((SELECT a.budgets FROM allowances a WHERE a.id = p_id));
  PERFORM lock_pools((SELECT array_agg(part.pool_id) FROM allowance_parts part WHERE part.allowance_id = p_id));
  SELECT back.granted, back.closed INTO return_allowance.granted, return_allowance.closed
  FROM take_back_allowance(p_id, p_returned, p_recall, p_close, p_granted) AS back;
END
$$;
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
-- Charges a stored request what it still owes: first the money its allowance holds, then the payer's pools.
-- Updates the record and the entries of its settlement. The caller has locked the record's budgets and the
-- payer's pools; one added since is locked without waiting. Charges at most what its allowance holds within
-- these budgets and what is left of each. Adds what no pool covers to `uncollected` of the payer's first
-- pool, and recalls the unused money of its pools, so that its requests run one at a time (grant_allowance).
-- @throws lock_not_available
CREATE OR REPLACE FUNCTION charge_request(p_request_id text, p_allowance_id text, p_payer text[]) RETURNS void
LANGUAGE plpgsql SET enable_seqscan = off SET jit = off AS $$
DECLARE
  v_record record;
  v_source record;
  v_due bigint;
  v_own boolean;
  -- Beyond the budgets.
  v_beyond bigint := 0;
  v_from_held bigint := 0;
  v_take bigint;
  v_charges jsonb;
BEGIN
  SELECT * INTO v_record FROM usage_records
  WHERE request_id = p_request_id AND arrival IN ('', arrival_of(p_request_id));
  v_due := v_record.uncollected;
  IF v_due = 0 THEN RETURN; END IF;
  PERFORM FROM pools WHERE id IN (SELECT p.id FROM payer_pools(p_payer) AS p) ORDER BY id FOR UPDATE NOWAIT;
  -- Money of an allowance counts in its own budgets.
  SELECT a.budgets = coalesce(v_record.budgets, '{}') INTO v_own FROM allowances a WHERE a.id = p_allowance_id;
  IF v_record.budgets <> '{}' THEN
    PERFORM FROM budget_windows WHERE id = ANY(v_record.budgets) ORDER BY id FOR UPDATE NOWAIT;
    SELECT greatest(v_due - greatest(min(room), 0) - coalesce((
      SELECT sum(held) FROM allowance_parts WHERE v_own AND allowance_id = p_allowance_id
    ), 0), 0) INTO v_beyond FROM budget_rooms(v_record.budgets) WHERE NOT warns HAVING count(*) > 0;
    v_beyond := coalesce(v_beyond, 0);
    v_due := v_due - v_beyond;
  END IF;
  v_charges := CASE
    WHEN v_record.charges IS NOT NULL THEN v_record.charges
    WHEN v_record.pool_id IS NOT NULL THEN jsonb_build_array(
      jsonb_build_object('poolId', v_record.pool_id, 'amount', v_record.charged)
    )
    ELSE '[]'
  END;
  FOR v_source IN
    SELECT p.id AS pool_id, source.amount, source.is_held
    FROM payer_pools(p_payer) WITH ORDINALITY AS p
    LEFT JOIN allowance_parts part ON part.pool_id = p.id AND part.allowance_id = p_allowance_id AND v_own
    CROSS JOIN LATERAL (
      VALUES (part.held, true), (CASE WHEN p.unlimited THEN v_due ELSE p.remaining END, false)
    ) AS source (amount, is_held)
    WHERE source.amount > 0
    ORDER BY NOT source.is_held, p.ordinality
  LOOP
    EXIT WHEN v_due = 0;
    v_take := least(v_due, v_source.amount);
    v_due := v_due - v_take;
    IF v_source.is_held THEN
      UPDATE allowance_parts SET held = held - v_take
      WHERE allowance_id = p_allowance_id AND pool_id = v_source.pool_id;
      UPDATE pools SET held = held - v_take, charged = charged + v_take WHERE id = v_source.pool_id;
      v_from_held := v_from_held + v_take;
    ELSE
      UPDATE pools SET remaining = remaining - v_take, charged = charged + v_take WHERE id = v_source.pool_id;
    END IF;
    INSERT INTO ledger_entries AS entry (pool_id, kind, amount, settlement)
    VALUES (v_source.pool_id, 'charge', -v_take, v_record.settlement)
    ON CONFLICT (settlement, pool_id) WHERE settlement IS NOT NULL DO UPDATE SET amount = entry.amount - v_take;
    v_charges := v_charges || jsonb_build_object('poolId', v_source.pool_id, 'amount', v_take);
  END LOOP;
  PERFORM change_budgets(v_record.budgets, -v_from_held, v_record.uncollected - v_beyond - v_due);
  -- Merges two payments of one pool, from the allowance and from the rest.
  SELECT coalesce(jsonb_agg(jsonb_build_object('poolId', pool_id, 'amount', amount) ORDER BY place), '[]')
  INTO v_charges
  FROM (
    SELECT charge->>'poolId' AS pool_id, sum((charge->>'amount')::bigint) AS amount, min(place) AS place
    FROM jsonb_array_elements(v_charges) WITH ORDINALITY AS given (charge, place) GROUP BY 1
  ) AS by_pool;
  UPDATE usage_records SET charged = cost - v_due - v_beyond, uncollected = v_due + v_beyond,
    pool_id = CASE WHEN jsonb_array_length(v_charges) = 1 THEN v_charges->0->>'poolId' END,
    charges = CASE WHEN jsonb_array_length(v_charges) > 1 THEN v_charges END
  WHERE request_id = p_request_id AND arrival IN ('', arrival_of(p_request_id));
  -- Of a provisional record, the final one decides.
  IF v_due = 0 OR v_record.is_provisional THEN RETURN; END IF;
  UPDATE pools SET uncollected = uncollected + v_due WHERE id = (SELECT p.id FROM payer_pools(p_payer) AS p LIMIT 1);
  UPDATE allowances SET recall = greatest(recall, answered + 1) WHERE id IN (
    SELECT a.id FROM allowances a JOIN allowance_parts part ON part.allowance_id = a.id
    WHERE part.held > 0 AND part.pool_id IN (SELECT p.id FROM payer_pools(p_payer) AS p)
      AND a.closed_at IS NULL AND NOT a.exact
    FOR UPDATE OF a SKIP LOCKED
  );
  PERFORM pg_notify('gateway_recalls', '');
END
$$;
-- Charges or refunds the difference between the final report of a request and its provisional record, with
-- ledger entries that name the corrected settlement. Pools are refunded in the reverse of the charging order.
-- The caller has stored the final record, and locked its budgets, the pools that were charged and the
-- payer's.
--   p_settlement, p_charged, p_pool, p_charges  of the provisional record
-- @throws lock_not_available when a pool added meanwhile is locked
CREATE OR REPLACE FUNCTION correct_charge(
  p_request_id text, p_allowance_id text, p_payer text[], p_settlement bigint, p_charged bigint, p_pool text,
  p_charges jsonb
) RETURNS void
LANGUAGE plpgsql SET enable_seqscan = off SET jit = off AS $$
DECLARE
  v_cost bigint;
  v_budgets text[];
  v_number bigint;
  v_charges jsonb := coalesce(p_charges, CASE
    WHEN p_pool IS NULL THEN '[]' ELSE jsonb_build_array(jsonb_build_object('poolId', p_pool, 'amount', p_charged))
  END);
  v_kept jsonb := '[]';
  v_paid record;
  v_back bigint;
BEGIN
  SELECT cost, budgets INTO v_cost, v_budgets FROM usage_records
  WHERE request_id = p_request_id AND arrival IN ('', arrival_of(p_request_id));
  IF v_cost < p_charged THEN
    FOR v_paid IN
      SELECT pool_id, amount, greatest(0, least(amount, v_cost - (total - amount))) AS kept
      FROM (
        SELECT charge->>'poolId' AS pool_id, (charge->>'amount')::bigint AS amount, place,
          sum((charge->>'amount')::bigint) OVER (ORDER BY place) AS total
        FROM jsonb_array_elements(v_charges) WITH ORDINALITY AS given (charge, place)
      ) AS paid
      ORDER BY place
    LOOP
      IF v_paid.kept > 0 THEN
        v_kept := v_kept || jsonb_build_object('poolId', v_paid.pool_id, 'amount', v_paid.kept);
      END IF;
      CONTINUE WHEN v_paid.kept = v_paid.amount;
      -- A pool that was reset since has this money again already.
      SELECT CASE
        WHEN p.resets_at IS NOT NULL
          AND entry.created_at < (p.resets_at AT TIME ZONE 'UTC' - interval '1 month') AT TIME ZONE 'UTC' THEN 0
        ELSE least(v_paid.amount - v_paid.kept, p.charged)
      END INTO v_back
      FROM pools p LEFT JOIN ledger_entries entry ON entry.settlement = p_settlement AND entry.pool_id = p.id
      WHERE p.id = v_paid.pool_id;
      UPDATE pools SET remaining = remaining + v_back, charged = charged - v_back
      WHERE id = v_paid.pool_id AND v_back > 0;
      INSERT INTO ledger_entries (pool_id, kind, amount, corrects)
      VALUES (v_paid.pool_id, 'correction', v_paid.amount - v_paid.kept, p_settlement);
      INSERT INTO ledger_entries (pool_id, kind, amount)
      SELECT v_paid.pool_id, 'reset', v_back - (v_paid.amount - v_paid.kept)
      WHERE v_back < v_paid.amount - v_paid.kept;
    END LOOP;
    v_charges := v_kept;
    PERFORM change_budgets(v_budgets, 0, v_cost - p_charged);
  END IF;
  -- Charges the rest as a settlement of its own, whose entries become corrections.
  v_number := nextval('pending_settlements_number_seq');
  UPDATE usage_records SET charged = least(cost, p_charged), uncollected = greatest(cost - p_charged, 0),
    settlement = v_number,
    pool_id = CASE WHEN jsonb_array_length(v_charges) = 1 THEN v_charges->0->>'poolId' END,
    charges = CASE WHEN jsonb_array_length(v_charges) > 1 THEN v_charges END
  WHERE request_id = p_request_id AND arrival IN ('', arrival_of(p_request_id));
  PERFORM charge_request(p_request_id, p_allowance_id, p_payer);
  UPDATE ledger_entries SET kind = 'correction', settlement = NULL, corrects = p_settlement
  WHERE settlement = v_number;
  UPDATE usage_records SET settlement = p_settlement
  WHERE request_id = p_request_id AND arrival IN ('', arrival_of(p_request_id));
END
$$;
-- Stores ended requests and charges their cost: first money set aside for them, then the pools' balance, as
-- far as their budgets allow; the rest is uncollected. Skips requests that are stored already, but replaces a
-- provisional record (its data plane seemed gone) and charges or refunds the difference, once
-- (correct_charge). Writes one ledger entry per paying pool, and the payers of each record. Sums follow later
-- (roll_up_settlements).
--   p_request_ids  ascending and distinct; the other arrays have the same length and order
--   p_payers       as grant_allowances takes them; p_accounts, p_seats and p_teams are only stored
--   p_units        of all requests, concatenated, sixteen each: input tokens, cached input, output tokens,
--                  images, characters, milliseconds of audio, search units, tokens written to the cache,
--                  written for an hour, audio input, image input, reasoning, audio output, image output, web
--                  searches, tool calls
--   p_tags, p_end_users, p_sessions, p_affinities  as in usage_records; null: none
--   p_budgets      windows of budgets that money was reserved from, each an array in a text; null: none
--   p_provisional  the final records may still follow. The caller holds locks (close_expired_allowance), so
--                  it waits for no pool
-- @throws lock_not_available when it may not wait for a locked pool; nothing was stored
--
-- A connection caches plans from its first calls, when tables may have been small. A sequential scan of
-- usage_records in such a plan would cost ever more, so these scans are off. Up to Postgres 17, any scan that
-- remains then looks so costly that Postgres compiles it, which takes longer than running it: JIT is off.
CREATE OR REPLACE FUNCTION settle_requests(
  p_request_ids text[], p_allowances text[], p_payers text[], p_accounts text[], p_seats text[], p_teams text[],
  p_keys text[], p_models text[], p_capabilities text[], p_price_versions int[], p_units bigint[], p_parts jsonb[],
  p_usage_sources text[], p_billing_reasons text[], p_held bigint[], p_costs bigint[], p_attempts jsonb[],
  p_ended_at timestamptz[], p_client_statuses int[], p_client_error_codes text[], p_tags jsonb[], p_end_users text[],
  p_sessions text[], p_affinities text[], p_budgets text[], p_provisional boolean
) RETURNS void
LANGUAGE plpgsql SET enable_seqscan = off SET jit = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  v_settlement bigint;
  -- Records with an arrival outside of this time are stored without it, so that a day is fully settled two
  -- days later (drop_usage_partitions).
  v_earliest text COLLATE "C" := arrival_at(now() - interval '48 hours');
  v_latest text COLLATE "C" := arrival_at(now() + interval '24 hours');
  -- First and last arrival of these.
  v_first_arrival text COLLATE "C";
  v_last_arrival text COLLATE "C";
  v_locked_windows text[];
  v_locked_pools text[];
  -- Stored already, without the replaced ones.
  v_known_ids text[];
  -- Partly known and replaced: the settlements that charged it, and who paid.
  v_replaced_ids text[];
  v_settlements bigint[];
  v_payers text[];
  v_charged bigint[];
  v_charges jsonb[];
  v_old_budgets text[];
  -- Budgets and pools that replaced records were charged to, in this attempt and earlier ones.
  v_charged_windows text[] := '{}';
  v_charged_pools text[] := '{}';
  v_locked_ids text[];
  -- Those in the sums, with their stored values.
  v_summed_ids text[];
  v_summed usage_records[];
  v_old record;
  -- The others.
  v_new_ids text[];
  -- Those with a tag, an end user or a session.
  v_labelled_ids text[] := ARRAY(
    SELECT request_id FROM unnest(p_request_ids, p_tags, p_end_users, p_sessions) AS r (request_id, tags, end_user, session)
    WHERE tags IS NOT NULL OR end_user IS NOT NULL OR session IS NOT NULL
  );
  -- Allowances that pay all their charges here, each from one pool.
  v_paying text[];
  v_pools text[];
  v_amounts bigint[];
  -- End of the first and last request.
  v_first timestamptz;
  v_last timestamptz;
  v_is_late boolean;
  v_checkpoints text[];
  v_record record;
BEGIN
  FOR v_attempt IN 1..100 LOOP
    BEGIN
      v_settlement := nextval('pending_settlements_number_seq');
      v_new_ids := p_request_ids;
      v_locked_ids := '{}';
      v_summed_ids := '{}';
      v_summed := NULL;
      v_is_late := false;
      SELECT array_agg(DISTINCT id) INTO v_locked_windows
      FROM unnest(p_budgets) AS given (budgets), unnest(budgets::text[]) AS id;
      IF p_provisional THEN
        PERFORM FROM budget_windows WHERE id = ANY(v_locked_windows) ORDER BY id FOR UPDATE NOWAIT;
      ELSE
        PERFORM lock_budgets(v_locked_windows || v_charged_windows);
      END IF;
      SELECT array_agg(DISTINCT p.id) INTO v_locked_pools
      FROM (
        SELECT DISTINCT payer FROM unnest(p_payers, p_costs) AS r (payer, cost) WHERE cost > 0
      ) AS paid, payer_pools(paid.payer::text[]) AS p;
      IF p_provisional THEN
        PERFORM FROM pools WHERE id = ANY(v_locked_pools) ORDER BY id FOR UPDATE NOWAIT;
      END IF;
      PERFORM lock_pools(v_locked_pools || v_charged_pools);
      SELECT min(arrival), max(arrival) INTO v_first_arrival, v_last_arrival
      FROM (SELECT arrival_of(id) COLLATE "C" FROM unnest(p_request_ids) AS id) AS r (arrival);
      -- Pools of free requests are not locked, so the same records may be replaced concurrently: wait for
      -- those locks and read again.
      LOOP
        SELECT coalesce(array_agg(request_id) FILTER (WHERE NOT is_replaced), '{}'),
          coalesce(array_agg(request_id) FILTER (WHERE is_replaced), '{}'),
          array_agg(settlement) FILTER (WHERE is_replaced), array_agg(pool_id) FILTER (WHERE is_replaced),
          array_agg(charged) FILTER (WHERE is_replaced), array_agg(charges) FILTER (WHERE is_replaced),
          array_agg(budgets::text) FILTER (WHERE is_replaced)
        INTO v_known_ids, v_replaced_ids, v_settlements, v_payers, v_charged, v_charges, v_old_budgets
        FROM (
          -- An OR would look up each id twice per partition.
          SELECT *, is_provisional AND NOT p_provisional AS is_replaced FROM (
            SELECT * FROM usage_records WHERE request_id = ANY(p_request_ids) AND arrival = ''
            UNION ALL
            SELECT * FROM usage_records
            WHERE request_id = ANY(p_request_ids) AND arrival BETWEEN v_first_arrival AND v_last_arrival
              AND arrival <> ''
          ) AS found
          ORDER BY request_id
        ) AS stored;
        EXIT WHEN v_replaced_ids <@ v_locked_ids;
        -- Waiting for records added meanwhile would break the lock order.
        IF v_locked_ids <> '{}' THEN RAISE lock_not_available; END IF;
        PERFORM FROM usage_records
        WHERE request_id = ANY(v_replaced_ids)
          AND (arrival = '' OR arrival BETWEEN v_first_arrival AND v_last_arrival)
        ORDER BY request_id FOR UPDATE;
        v_locked_ids := v_replaced_ids;
      END LOOP;
      IF v_replaced_ids <> '{}' THEN
        v_charged_windows := ARRAY(
          SELECT unnest(v_charged_windows)
          UNION SELECT id FROM unnest(v_old_budgets) AS given (budgets), unnest(budgets::text[]) AS id
        );
        -- They are not all among the payer's pools: the final report may be free, or a pool removed.
        v_charged_pools := ARRAY(
          SELECT unnest(v_charged_pools)
          UNION SELECT pool_id FROM unnest(v_payers) AS paid (pool_id) WHERE pool_id IS NOT NULL
          UNION SELECT charge->>'poolId' FROM unnest(v_charges) AS paid (charges), jsonb_array_elements(charges) AS charge
        );
        PERFORM FROM budget_windows WHERE id = ANY(v_charged_windows) ORDER BY id FOR UPDATE NOWAIT;
        PERFORM FROM pools WHERE id = ANY(v_charged_pools) ORDER BY id FOR UPDATE NOWAIT;
      END IF;
      IF v_known_ids || v_replaced_ids <> '{}' THEN
        v_new_ids := ARRAY(
          SELECT id FROM unnest(p_request_ids) AS id WHERE id <> ALL(v_known_ids || v_replaced_ids)
        );
      END IF;
      -- Nearly always an allowance has money of one pool and enough of it.
      WITH total AS (
        SELECT allowance_id, payer, coalesce(budgets, '{}') AS budgets, sum(cost) AS cost,
          count(*) OVER (PARTITION BY allowance_id) AS groups
        FROM unnest(p_request_ids, p_allowances, p_payers, p_budgets, p_costs)
          AS r (request_id, allowance_id, payer, budgets, cost)
        WHERE cost > 0 AND request_id <> ALL(v_known_ids || v_replaced_ids) GROUP BY 1, 2, 3
      ), covered AS (
        SELECT a.id, min(part.pool_id) AS pool_id, total.cost
        FROM total
        JOIN allowances a ON a.id = total.allowance_id AND a.payer = total.payer::text[]
          AND a.budgets = total.budgets::text[]
        JOIN allowance_parts part ON part.allowance_id = a.id AND part.held > 0
        WHERE total.groups = 1
        GROUP BY a.id, total.cost
        HAVING count(*) = 1 AND min(part.held) >= total.cost
      )
      SELECT array_agg(id), array_agg(pool_id), array_agg(cost) INTO v_paying, v_pools, v_amounts FROM covered;
      -- A pool added meanwhile is not locked.
      IF EXISTS (SELECT unnest(v_pools) EXCEPT SELECT unnest(v_locked_pools)) THEN RAISE lock_not_available; END IF;

      IF cardinality(v_replaced_ids) > 0 THEN
        PERFORM FROM pending_settlements WHERE number = ANY(v_settlements) ORDER BY number FOR UPDATE;
        FOR v_old IN SELECT * FROM unnest(v_replaced_ids, v_settlements) AS old (request_id, settlement) LOOP
          -- A settlement changed here is not summed meanwhile.
          UPDATE pending_settlements SET first_ended_at = least(first_ended_at, r.ended_at),
            last_ended_at = greatest(last_ended_at, r.ended_at),
            labelled_ids = labelled_ids || ARRAY(SELECT r.request_id WHERE r.request_id = ANY(v_labelled_ids))
          FROM unnest(p_request_ids, p_ended_at) AS r (request_id, ended_at)
          WHERE number = v_old.settlement AND r.request_id = v_old.request_id;
          IF NOT FOUND THEN v_summed_ids := v_summed_ids || v_old.request_id; END IF;
        END LOOP;
        SELECT array_agg(r) INTO v_summed FROM usage_records r
        WHERE request_id = ANY(v_summed_ids)
          AND (arrival = '' OR arrival BETWEEN v_first_arrival AND v_last_arrival);
        DELETE FROM usage_records
        WHERE request_id = ANY(v_replaced_ids)
          AND (arrival = '' OR arrival BETWEEN v_first_arrival AND v_last_arrival);
      END IF;
      INSERT INTO usage_records (
        request_id, account_id, seat_id, team_id, key_id, model_id, capability, price_version, input_tokens,
        cached_input_tokens, output_tokens, images, characters, audio_ms, search_units, cache_write_tokens,
        cache_write_1h_tokens, audio_input_tokens, image_input_tokens, reasoning_tokens, audio_output_tokens,
        image_output_tokens, web_search_requests, tool_calls, parts, usage_source, billing_reason, held, cost,
        charged, uncollected, attempts, ended_at, is_provisional, client_status, client_error_code, tags, end_user,
        session, affinity, budgets, settlement, pool_id, arrival
      )
      SELECT request_id, account_id, seat_id, team_id, key_id, model_id, capability, price_version,
        p_units[at + 1], p_units[at + 2], p_units[at + 3], p_units[at + 4], p_units[at + 5], p_units[at + 6],
        p_units[at + 7], p_units[at + 8], p_units[at + 9], p_units[at + 10], p_units[at + 11], p_units[at + 12],
        p_units[at + 13], p_units[at + 14], p_units[at + 15], p_units[at + 16],
        parts, usage_source, billing_reason, held, cost,
        CASE WHEN pool_id IS NULL THEN 0 ELSE cost END, CASE WHEN pool_id IS NULL THEN cost ELSE 0 END, attempts,
        ended_at, p_provisional, client_status, client_error_code, tags, end_user, session, affinity, budgets::text[],
        v_settlement, pool_id,
        CASE WHEN arrival_of(request_id) COLLATE "C" BETWEEN v_earliest AND v_latest THEN arrival_of(request_id) ELSE '' END
      FROM unnest(
        p_request_ids, p_allowances, p_accounts, p_seats, p_teams, p_keys, p_models, p_capabilities, p_price_versions,
        p_parts, p_usage_sources, p_billing_reasons, p_held, p_costs, p_attempts, p_ended_at, p_client_statuses,
        p_client_error_codes, p_tags, p_end_users, p_sessions, p_affinities, p_budgets
      ) WITH ORDINALITY AS r (
        request_id, allowance_id, account_id, seat_id, team_id, key_id, model_id, capability, price_version, parts,
        usage_source, billing_reason, held, cost, attempts, ended_at, client_status, client_error_code, tags, end_user,
        session, affinity, budgets, place
      )
      LEFT JOIN unnest(v_paying, v_pools) AS paying (id, pool_id)
        ON paying.id = allowance_id AND cost > 0 AND request_id <> ALL(v_replaced_ids),
      LATERAL (SELECT (16 * (place - 1))::int) AS units (at)
      WHERE request_id <> ALL(v_known_ids)
      -- Waits for anybody storing one of them, too.
      ORDER BY place;
      IF v_new_ids <> '{}' THEN
        SELECT min(ended_at), max(ended_at) INTO v_first, v_last FROM unnest(p_ended_at) AS r (ended_at);
        v_is_late := v_first <= now() - interval '5 minutes';
        IF NOT v_is_late THEN
          INSERT INTO pending_settlements (number, first_ended_at, last_ended_at, request_ids, labelled_ids)
          VALUES (
            v_settlement, v_first, v_last, v_new_ids,
            CASE
              WHEN v_known_ids || v_replaced_ids = '{}' THEN v_labelled_ids
              ELSE ARRAY(SELECT id FROM unnest(v_labelled_ids) AS id WHERE id = ANY(v_new_ids))
            END
          );
        END IF;
      END IF;
      -- By the second suffices, and whoever holds the lock is using it.
      UPDATE allowances SET used_at = now() WHERE NOT p_provisional AND id IN (
        SELECT id FROM allowances
        WHERE id IN (SELECT DISTINCT unnest(p_allowances)) AND used_at < now() - interval '1 second'
        FOR UPDATE SKIP LOCKED
      );
      v_checkpoints := ARRAY(
        SELECT request_id FROM usage_checkpoints WHERE request_id = ANY(p_request_ids) ORDER BY request_id FOR UPDATE
      );
      IF v_checkpoints <> '{}' THEN DELETE FROM usage_checkpoints WHERE request_id = ANY(v_checkpoints); END IF;

      WITH due AS (
        SELECT * FROM unnest(v_paying, v_pools, v_amounts) AS r (allowance_id, pool_id, amount)
      ), parts AS (
        UPDATE allowance_parts part SET held = held - due.amount FROM due
        WHERE part.allowance_id = due.allowance_id AND part.pool_id = due.pool_id
      ), sums AS (
        SELECT pool_id, sum(amount) AS amount FROM due GROUP BY 1
      ), charges AS (
        UPDATE pools SET held = held - sums.amount, charged = charged + sums.amount FROM sums WHERE id = pool_id
      )
      INSERT INTO ledger_entries (pool_id, kind, amount, settlement)
      SELECT pool_id, 'charge', -amount, v_settlement FROM sums;
      IF v_locked_windows IS NOT NULL THEN
        UPDATE budget_windows w SET held = w.held - sum.amount, spent = w.spent + sum.amount
        FROM (
          SELECT window_id, sum(amount)::bigint AS amount
          FROM unnest(v_paying, v_amounts) AS due (allowance_id, amount)
          JOIN allowances a ON a.id = due.allowance_id, unnest(a.budgets) AS window_id GROUP BY 1
        ) AS sum
        WHERE w.id = sum.window_id;
      END IF;
      FOR v_record IN
        SELECT request_id, allowance_id, payer
        FROM unnest(p_request_ids, p_allowances, p_payers, p_costs) AS r (request_id, allowance_id, payer, cost)
        WHERE cost > 0 AND (allowance_id = ANY(v_paying)) IS NOT TRUE
          AND request_id <> ALL(v_known_ids || v_replaced_ids)
      LOOP
        PERFORM charge_request(v_record.request_id, v_record.allowance_id, v_record.payer::text[]);
      END LOOP;
      FOR v_old IN
        SELECT old.*, r.budgets FROM unnest(v_replaced_ids, v_settlements, v_payers, v_charged, v_charges, v_old_budgets)
          AS old (request_id, settlement, pool_id, charged, charges, old_budgets)
        JOIN unnest(p_request_ids, p_budgets) AS r (request_id, budgets) USING (request_id)
      LOOP
        IF coalesce(v_old.budgets, '{}')::text[] <> coalesce(v_old.old_budgets, '{}')::text[] THEN
          PERFORM change_budgets(v_old.old_budgets::text[], 0, -v_old.charged);
          PERFORM change_budgets(v_old.budgets::text[], 0, v_old.charged);
        END IF;
        PERFORM correct_charge(
          request_id, allowance_id, payer::text[], v_old.settlement, v_old.charged, v_old.pool_id, v_old.charges
        )
        FROM unnest(p_request_ids, p_allowances, p_payers) AS r (request_id, allowance_id, payer)
        WHERE request_id = v_old.request_id;
      END LOOP;
      -- Reads of usage include all records since the first pending one, so late reports are summed at once.
      IF v_is_late OR v_summed_ids <> '{}' THEN
        v_summed_ids := CASE WHEN v_is_late THEN v_new_ids ELSE '{}' END || v_summed_ids;
        PERFORM sum_up(v_summed_ids, v_summed);
        IF v_summed IS NOT NULL OR v_labelled_ids <> '{}' THEN PERFORM add_label_sums(v_summed_ids, v_summed); END IF;
      END IF;
      -- Last, because an insert of the same response waits for this (store_followed). A locked one is being
      -- claimed, and is deleted later (FollowedResponseStore.prune).
      IF v_replaced_ids <> '{}' THEN
        DELETE FROM followed_responses WHERE request_id IN (
          SELECT request_id FROM followed_responses WHERE request_id = ANY(v_replaced_ids) FOR UPDATE SKIP LOCKED
        );
      END IF;
      RETURN;
    EXCEPTION WHEN unique_violation OR lock_not_available THEN
      IF v_attempt = 100 OR p_provisional AND SQLSTATE = '55P03' THEN RAISE; END IF;
      -- Somebody stored one of the requests, or locked a pool added meanwhile or charged before. Retry: it is
      -- known now, and all locks of this attempt are free, so that the next one takes its own in their order.
    END;
  END LOOP;
END
$$;
-- For the previous release: settles requests without labels (settle_requests), in the budgets of their
-- allowances.
CREATE OR REPLACE FUNCTION settle_records(
  p_request_ids text[], p_allowances text[], p_payers text[], p_accounts text[], p_seats text[], p_teams text[],
  p_keys text[], p_models text[], p_capabilities text[], p_price_versions int[], p_units bigint[], p_parts jsonb[],
  p_usage_sources text[], p_billing_reasons text[], p_held bigint[], p_costs bigint[], p_attempts jsonb[],
  p_ended_at timestamptz[], p_client_statuses int[], p_client_error_codes text[], p_provisional boolean
) RETURNS void
LANGUAGE sql AS $$
  SELECT settle_requests(
    p_request_ids, p_allowances, p_payers, p_accounts, p_seats, p_teams, p_keys, p_models, p_capabilities,
    p_price_versions, p_units, p_parts, p_usage_sources, p_billing_reasons, p_held, p_costs, p_attempts, p_ended_at,
    p_client_statuses, p_client_error_codes, NULL, NULL, NULL, NULL, ARRAY(
      SELECT nullif(a.budgets, '{}')::text FROM unnest(p_allowances) WITH ORDINALITY AS r (id, place)
      LEFT JOIN allowances a USING (id) ORDER BY place
    ), p_provisional
  )
$$;
-- Stores and charges requests provisionally (settle_requests), so that other data planes can follow their
-- responses (store_followed).
--   p_followed  as in followed_responses
-- @throws lock_not_available when a pool added meanwhile is locked
CREATE OR REPLACE FUNCTION hand_over_responses(
  p_request_ids text[], p_allowances text[], p_payers text[], p_accounts text[], p_seats text[], p_teams text[],
  p_keys text[], p_models text[], p_capabilities text[], p_price_versions int[], p_units bigint[], p_parts jsonb[],
  p_usage_sources text[], p_billing_reasons text[], p_held bigint[], p_costs bigint[], p_attempts jsonb[],
  p_ended_at timestamptz[], p_client_statuses int[], p_client_error_codes text[], p_tags jsonb[], p_end_users text[],
  p_sessions text[], p_affinities text[], p_budgets text[], p_followed text[]
) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM lock_budgets(ARRAY(
    SELECT DISTINCT id FROM unnest(p_budgets) AS given (budgets), unnest(budgets::text[]) AS id
  ));
  PERFORM lock_pools((
    SELECT array_agg(DISTINCT p.id)
    FROM (
      SELECT DISTINCT payer FROM unnest(p_payers, p_costs) AS r (payer, cost) WHERE cost > 0
    ) AS paid, payer_pools(paid.payer::text[]) AS p
  ));
  PERFORM settle_requests(
    p_request_ids, p_allowances, p_payers, p_accounts, p_seats, p_teams, p_keys, p_models, p_capabilities,
    p_price_versions, p_units, p_parts, p_usage_sources, p_billing_reasons, p_held, p_costs, p_attempts, p_ended_at,
    p_client_statuses, p_client_error_codes, p_tags, p_end_users, p_sessions, p_affinities, p_budgets, true
  );
  PERFORM store_followed(p_request_ids, p_followed);
END
$$;
-- For the previous release: hands over responses of requests without labels (hand_over_responses),
-- in the budgets of their allowances.
CREATE OR REPLACE FUNCTION hand_over_requests(
  p_request_ids text[], p_allowances text[], p_payers text[], p_accounts text[], p_seats text[], p_teams text[],
  p_keys text[], p_models text[], p_capabilities text[], p_price_versions int[], p_units bigint[], p_parts jsonb[],
  p_usage_sources text[], p_billing_reasons text[], p_held bigint[], p_costs bigint[], p_attempts jsonb[],
  p_ended_at timestamptz[], p_client_statuses int[], p_client_error_codes text[], p_followed text[]
) RETURNS void
LANGUAGE sql AS $$
  SELECT hand_over_responses(
    p_request_ids, p_allowances, p_payers, p_accounts, p_seats, p_teams, p_keys, p_models, p_capabilities,
    p_price_versions, p_units, p_parts, p_usage_sources, p_billing_reasons, p_held, p_costs, p_attempts, p_ended_at,
    p_client_statuses, p_client_error_codes, NULL, NULL, NULL, NULL, ARRAY(
      SELECT nullif(a.budgets, '{}')::text FROM unnest(p_allowances) WITH ORDINALITY AS r (id, place)
      LEFT JOIN allowances a USING (id) ORDER BY place
    ), p_followed
  )
$$;
-- Closes an allowance whose data plane is gone, and bills its streams by their checkpoints (settle_requests).
-- Leaves the responses that their providers still work on to other data planes (store_followed).
-- Locks everything first; when a pool added meanwhile is locked, the next sweep closes it.
-- @returns true when it was closed here
CREATE OR REPLACE FUNCTION close_expired_allowance(p_id text, p_grace interval) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
  v_closed boolean;
  v_unfinished text[];
  v_followed text[];
BEGIN
  PERFORM lock_budgets((SELECT a.budgets FROM allowances a WHERE a.id = p_id));
  PERFORM lock_pools((
    SELECT array_agg(p.id) FROM allowances a, payer_pools(a.payer) AS p WHERE a.id = p_id
  ));
  PERFORM FROM allowances a
  WHERE a.id = p_id AND a.closed_at IS NULL AND a.used_at < now() - p_grace AND NOT EXISTS (
    SELECT FROM key_watchers w WHERE w.instance_id = a.instance_id AND w.lease_until > now() - p_grace
  )
  FOR UPDATE;
  IF NOT FOUND THEN RETURN false; END IF;
  SELECT array_agg(request_id), array_agg(followed) INTO v_unfinished, v_followed
  FROM usage_checkpoints WHERE allowance_id = p_id AND followed IS NOT NULL;
  PERFORM settle_requests(
    request_ids, allowances, payers, accounts, seats, teams, keys, models, capabilities, price_versions, ARRAY(
      -- An older control plane stores fewer units.
      SELECT coalesce(units[place], 0) FROM usage_checkpoints, generate_series(1, 16) AS place
      WHERE allowance_id = p_id ORDER BY request_id COLLATE "C", place
    ), parts, usage_sources, billing_reasons, held, costs, attempts, ended_at, client_statuses, client_error_codes,
    tags, end_users, sessions, affinities, budgets, true
  )
  FROM (
    SELECT array_agg(request_id) AS request_ids, array_agg(allowance_id) AS allowances, array_agg(payer) AS payers,
      array_agg(account_id) AS accounts, array_agg(seat_id) AS seats, array_agg(team_id) AS teams,
      array_agg(key_id) AS keys, array_agg(model_id) AS models, array_agg(capability) AS capabilities,
      array_agg(price_version) AS price_versions, array_agg(parts) AS parts,
      array_agg(usage_source) AS usage_sources, array_agg(billing_reason) AS billing_reasons,
      array_agg(held) AS held, array_agg(cost) AS costs, array_agg(attempts) AS attempts,
      array_agg(ended_at) AS ended_at, array_agg(client_status) AS client_statuses,
      array_agg(client_error_code) AS client_error_codes, array_agg(tags) AS tags,
      array_agg(end_user) AS end_users, array_agg(session) AS sessions, array_agg(affinity) AS affinities,
      array_agg(budgets) AS budgets
    FROM (
      SELECT * FROM usage_checkpoints WHERE allowance_id = p_id ORDER BY request_id COLLATE "C"
    ) AS checkpoint
    HAVING count(*) > 0
  ) AS known;
  IF v_unfinished IS NOT NULL THEN PERFORM store_followed(v_unfinished, v_followed); END IF;
  SELECT closed INTO v_closed FROM take_back_allowance(p_id, 0, 0, true, NULL);
  RETURN v_closed;
EXCEPTION WHEN lock_not_available THEN
  RETURN false;
END
$$;
-- Deletes a suspended account with all it has, so that nothing of it is left: teams, keys, rules, pools with
-- their ledger entries, and the usage that these paid for, also in budgets of accounts with seats in its
-- teams. Keeps its seats in teams of other accounts, whose pools paid for their usage, and then the account
-- itself.
-- @returns deleted usage records; null: requests still hold money of its pools, and nothing was deleted
CREATE OR REPLACE FUNCTION purge_account(p_account text) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
  v_teams text[];
  v_seats text[];
  v_keys text[];
  v_owners text[];
  v_pools text[];
  v_rule_owners text[];
  v_windows text[];
  v_requests text[];
BEGIN
  -- Nothing is added to the sums meanwhile (roll_up_settlements).
  PERFORM pg_advisory_xact_lock(hashtext('roll_up_settlements'));
  PERFORM FROM accounts WHERE id = p_account FOR UPDATE;
  v_teams := ARRAY(SELECT id FROM teams WHERE owner_account_id = p_account);
  v_seats := ARRAY(SELECT id FROM seats WHERE team_id = ANY(v_teams));
  v_keys := ARRAY(
    SELECT id FROM api_keys WHERE account_id = p_account AND seat_id IS NULL OR seat_id = ANY(v_seats)
  );
  v_owners := ARRAY(
    SELECT 'account:' || p_account UNION ALL SELECT 'team:' || unnest(v_teams) UNION ALL SELECT 'seat:' || unnest(v_seats)
  );
  v_pools := ARRAY(SELECT id FROM pools WHERE owner = ANY(v_owners));
  v_rule_owners := v_owners || ARRAY(SELECT 'key:' || unnest(v_keys)) || ('end_users:' || p_account) || ARRAY(
    SELECT owner FROM rules WHERE starts_with(owner, 'end_user:' || p_account || '/')
    UNION SELECT owner FROM budgets WHERE starts_with(owner, 'end_user:' || p_account || '/')
  );
  v_windows := ARRAY(
    SELECT w.id FROM budgets b JOIN budget_windows w ON w.budget_id = b.id WHERE b.owner = ANY(v_rule_owners)
  );
  PERFORM lock_budgets(v_windows || ARRAY(
    SELECT id FROM budget_windows WHERE id IN (
      SELECT unnest(budgets) FROM usage_records
      WHERE account_id = p_account AND seat_id IS NULL OR key_id = ANY(v_keys)
    )
  ));
  PERFORM lock_pools(v_pools);
  IF EXISTS (SELECT FROM pools WHERE id = ANY(v_pools) AND held > 0) THEN RETURN NULL; END IF;
  DELETE FROM allowances WHERE payer && v_owners;
  WITH deleted AS (
    DELETE FROM usage_records
    WHERE account_id = p_account AND seat_id IS NULL OR key_id = ANY(v_keys)
    RETURNING request_id, charged, budgets
  ), forgotten AS (
    UPDATE budget_windows w SET spent = w.spent - sum.charged
    FROM (
      SELECT window_id, sum(charged)::bigint AS charged FROM deleted, unnest(budgets) AS window_id GROUP BY 1
    ) AS sum
    WHERE w.id = sum.window_id
  )
  SELECT coalesce(array_agg(request_id), '{}') INTO v_requests FROM deleted;
  DELETE FROM usage_checkpoints WHERE key_id = ANY(v_keys);
  PERFORM FROM rollup_watermark FOR UPDATE;
  DELETE FROM usage_rollups WHERE account_id = p_account AND seat_id = '' OR seat_id = ANY(v_seats);
  DELETE FROM usage_days WHERE account_id = p_account AND seat_id = '' OR seat_id = ANY(v_seats);
  DELETE FROM usage_label_days WHERE account_id = p_account AND seat_id = '' OR seat_id = ANY(v_seats);
  DELETE FROM followed_responses WHERE request_id = ANY(v_requests);
  DELETE FROM refused_requests WHERE account_id = p_account AND seat_id IS NULL OR key_id = ANY(v_keys);
  DELETE FROM budget_windows WHERE id = ANY(v_windows);
  DELETE FROM budgets WHERE owner = ANY(v_rule_owners);
  DELETE FROM rules WHERE owner = ANY(v_rule_owners);
  DELETE FROM ledger_entries WHERE pool_id = ANY(v_pools);
  DELETE FROM pools WHERE id = ANY(v_pools);
  DELETE FROM api_keys WHERE id = ANY(v_keys);
  DELETE FROM seats WHERE id = ANY(v_seats);
  DELETE FROM seat_invitations i USING accounts a WHERE a.id = p_account AND i.email = a.email;
  DELETE FROM teams WHERE id = ANY(v_teams);
  DELETE FROM dashboard_users u USING accounts a WHERE a.id = p_account AND u.id = a.sign_in_id;
  DELETE FROM accounts WHERE id = p_account AND NOT EXISTS (SELECT FROM seats WHERE account_id = p_account);
  RETURN cardinality(v_requests);
END
$$;
