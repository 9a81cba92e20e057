-- Pools that are never used up, and pools that expire.
ALTER TABLE "pools" ADD COLUMN "unlimited" BOOLEAN NOT NULL DEFAULT false, ADD COLUMN "expires_at" TIMESTAMPTZ(3);
ALTER TABLE "ledger_entries" DROP CONSTRAINT "ledger_entries_kind", ADD CONSTRAINT "ledger_entries_kind" CHECK (
  "kind" IN ('included', 'charge', 'correction', 'reset', 'moved', 'changed', 'removed', 'expired')
  AND ("kind" = 'charge') = ("settlement" IS NOT NULL)
  AND ("kind" = 'correction') = ("corrects" IS NOT NULL)
) NOT VALID;

-- Returns a payer's pools in charging order: by level, then those that reset or expire first, then unlimited
-- ones. Includes a removed pool while it holds money.
--   p_payer  levels in charging order, each as in `pools.owner`
CREATE OR REPLACE FUNCTION payer_pools(p_payer text[]) RETURNS SETOF pools
LANGUAGE sql STABLE AS $$
  SELECT * FROM pools
  WHERE owner = ANY(p_payer) AND (removed_at IS NULL OR held > 0)
  ORDER BY array_position(p_payer, owner), unlimited, least(resets_at, expires_at) NULLS LAST, created_at, id
$$;

-- Locks pools, and refills those past their month. Held money stays held, and is charged to the new month.
-- What a pool gets makes up for as much uncollected money (acquire_allowance).
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

-- Keeps an unlimited pool full: nine million US dollars remain, as much as a limited pool can include,
-- whatever is held and charged. Its ledger entries do not count what it includes: they sum to -charged.
CREATE OR REPLACE FUNCTION keep_unlimited_pool() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  NEW.remaining := 9000000000000000;
  NEW.included := NEW.remaining + NEW.held + NEW.charged;
  RETURN NEW;
END
$$;

CREATE OR REPLACE TRIGGER "pools_keep_unlimited" BEFORE INSERT OR UPDATE ON "pools" FOR EACH ROW
  WHEN (NEW."unlimited") EXECUTE FUNCTION keep_unlimited_pool();

-- Takes out whatever returns to a removed or expired pool at once, with an entry, so that nobody spends it.
CREATE OR REPLACE FUNCTION empty_removed_pool() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO ledger_entries (pool_id, kind, amount)
  VALUES (NEW.id, CASE WHEN NEW.expires_at <= NEW.removed_at THEN 'expired' ELSE 'removed' END, -NEW.remaining);
  NEW.included := NEW.included - NEW.remaining;
  NEW.remaining := 0;
  RETURN NEW;
END
$$;

CREATE OR REPLACE TRIGGER "pools_empty_removed" BEFORE UPDATE ON "pools" FOR EACH ROW
  WHEN (NEW."removed_at" IS NOT NULL AND NEW."remaining" > 0) EXECUTE FUNCTION empty_removed_pool();

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

-- Sets money aside in one statement for many payers with plenty: their needs, and some to spare as in
-- acquire_allowance. Leaves out all others: request these with acquire_allowance. Waits for no lock, so that
-- no payer delays another and no deadlock arises: whatever is locked is left out too.
--   p_ids, p_payers, ...  arrays by allowance; p_needs are sums. A payer is the text form of a text[]:
--                         nested arrays in Postgres must have one length
-- @returns a row per allowance granted: total ever granted, and the last recall that the grant knew of
--
-- Plans come from a connection's first calls, when tables were small, so sequential scans and JIT are off.
-- One plan serves all calls: planning for each number of payers takes longer than granting.
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
  -- Without a lease, the grant could be freed at any moment.
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
      AND (a.id IS NULL OR (a.id = ANY(v_known) AND a.closed_at IS NULL AND ask.returned <= a.returned))
  ), share AS (
    -- Payers of one pool share its spare money.
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

-- Charges a stored request what it still owes: first the money its allowance holds, then the payer's pools.
-- Updates the record and the entries of its settlement. The caller has locked the payer's pools; one added
-- since is locked without waiting. Adds what no pool covers to `uncollected` of the payer's first pool, and
-- recalls the unused money of its pools, so that its requests run one at a time (acquire_allowance).
-- @throws lock_not_available
CREATE OR REPLACE FUNCTION charge_request(p_request_id text, p_allowance_id text, p_payer text[]) RETURNS void
LANGUAGE plpgsql SET enable_seqscan = off SET jit = off AS $$
DECLARE
  v_record record;
  v_source record;
  v_due bigint;
  v_take bigint;
  v_charges jsonb;
BEGIN
  SELECT * INTO v_record FROM usage_records
  WHERE request_id = p_request_id AND arrival IN ('', arrival_of(p_request_id));
  v_due := v_record.uncollected;
  IF v_due = 0 THEN RETURN; END IF;
  PERFORM FROM pools WHERE id IN (SELECT p.id FROM payer_pools(p_payer) AS p) ORDER BY id FOR UPDATE NOWAIT;
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
    LEFT JOIN allowance_parts part ON part.pool_id = p.id AND part.allowance_id = p_allowance_id
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
    ELSE
      UPDATE pools SET remaining = remaining - v_take, charged = charged + v_take WHERE id = v_source.pool_id;
    END IF;
    INSERT INTO ledger_entries AS entry (pool_id, kind, amount, settlement)
    VALUES (v_source.pool_id, 'charge', -v_take, v_record.settlement)
    ON CONFLICT (settlement, pool_id) WHERE settlement IS NOT NULL DO UPDATE SET amount = entry.amount - v_take;
    v_charges := v_charges || jsonb_build_object('poolId', v_source.pool_id, 'amount', v_take);
  END LOOP;
  -- Merges two payments of one pool, from the allowance and from the rest.
  SELECT coalesce(jsonb_agg(jsonb_build_object('poolId', pool_id, 'amount', amount) ORDER BY place), '[]')
  INTO v_charges
  FROM (
    SELECT charge->>'poolId' AS pool_id, sum((charge->>'amount')::bigint) AS amount, min(place) AS place
    FROM jsonb_array_elements(v_charges) WITH ORDINALITY AS given (charge, place) GROUP BY 1
  ) AS by_pool;
  UPDATE usage_records SET charged = cost - v_due, uncollected = v_due,
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

-- Changes what a pool includes, with a ledger entry of the difference, but never below what is used or held.
--   p_included     null: unlimited
--   p_name         new name; null: unchanged
--   changed        false: too much is used or held, or the pool is removed
--   recalls        recalls whose money would allow the change, as in acquire_allowance
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

-- Removes a pool: takes out unused money with a ledger entry. Used money stays, and held money until its
-- requests end. Repeated calls return the same.
--   taken    taken out at the removal; 0 for an unlimited pool
--   recalls  recalls so that unused money returns now, as in acquire_allowance
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

-- Moves unused money to another owner: to its pool named p_name with the same reset rule and expiry, or to a
-- new one. Takes nothing out of an unlimited pool, and gives it nothing.
--   p_to             id of a new pool
--   p_owner          receiver, as in `pools.owner`
--   p_max            maximum of the receiver's pools
--   moved            false: too little is left, or too many pools
--   too_many         the receiver has the maximum of pools
--   recalls          recalls because too little is left, as in acquire_allowance
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
