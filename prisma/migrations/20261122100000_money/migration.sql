-- CreateTable
CREATE TABLE "pools" (
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "account_id" TEXT,
    "team_id" TEXT,
    "seat_id" TEXT,
    "included" BIGINT NOT NULL,
    "remaining" BIGINT NOT NULL,
    "held" BIGINT NOT NULL DEFAULT 0,
    "charged" BIGINT NOT NULL DEFAULT 0,
    "resets_at" TIMESTAMPTZ(3),
    "recalled_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "pools_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "ledger_entries" (
    "id" BIGSERIAL NOT NULL,
    "pool_id" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "amount" BIGINT NOT NULL,
    "request_id" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "ledger_entries_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "allowances" (
    "id" TEXT NOT NULL,
    "instance_id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "seat_id" TEXT,
    "team_id" TEXT,
    "granted" BIGINT NOT NULL DEFAULT 0,
    "returned" BIGINT NOT NULL DEFAULT 0,
    "recall" INTEGER NOT NULL DEFAULT 0,
    "answered" INTEGER NOT NULL DEFAULT 0,
    "exact" BOOLEAN NOT NULL DEFAULT true,
    "opened_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "used_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "closed_at" TIMESTAMPTZ(3),

    CONSTRAINT "allowances_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "allowance_parts" (
    "allowance_id" TEXT NOT NULL,
    "pool_id" TEXT NOT NULL,
    "held" BIGINT NOT NULL,

    CONSTRAINT "allowance_parts_pkey" PRIMARY KEY ("allowance_id","pool_id")
);

-- CreateTable
CREATE TABLE "usage_records" (
    "request_id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "seat_id" TEXT,
    "team_id" TEXT,
    "key_id" TEXT NOT NULL,
    "model_id" TEXT NOT NULL,
    "capability" TEXT NOT NULL,
    "price_version" INTEGER,
    "input_tokens" BIGINT NOT NULL,
    "cached_input_tokens" BIGINT NOT NULL,
    "output_tokens" BIGINT NOT NULL,
    "images" BIGINT NOT NULL,
    "characters" BIGINT NOT NULL,
    "audio_ms" BIGINT NOT NULL,
    "search_units" BIGINT NOT NULL,
    "usage_source" TEXT,
    "billing_reason" TEXT NOT NULL,
    "held" BIGINT NOT NULL,
    "cost" BIGINT NOT NULL,
    "charged" BIGINT NOT NULL,
    "uncollected" BIGINT NOT NULL,
    "attempts" JSONB NOT NULL,
    "ended_at" TIMESTAMPTZ(3) NOT NULL,
    "is_provisional" BOOLEAN NOT NULL DEFAULT false,
    "settled_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "usage_records_pkey" PRIMARY KEY ("request_id")
);

-- CreateTable
CREATE TABLE "usage_checkpoints" (
    "request_id" TEXT NOT NULL,
    "allowance_id" TEXT NOT NULL,
    "record" JSONB NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "usage_checkpoints_pkey" PRIMARY KEY ("request_id")
);

-- CreateTable
CREATE TABLE "usage_rollups" (
    "account_id" TEXT NOT NULL,
    "seat_id" TEXT NOT NULL,
    "width" INTEGER NOT NULL,
    "bucket" TIMESTAMPTZ(3) NOT NULL,
    "key_id" TEXT NOT NULL,
    "model_id" TEXT NOT NULL,
    "capability" TEXT NOT NULL,
    "requests" BIGINT NOT NULL,
    "input_tokens" BIGINT NOT NULL,
    "cached_input_tokens" BIGINT NOT NULL,
    "output_tokens" BIGINT NOT NULL,
    "images" BIGINT NOT NULL,
    "characters" BIGINT NOT NULL,
    "audio_ms" BIGINT NOT NULL,
    "search_units" BIGINT NOT NULL,
    "charged" BIGINT NOT NULL,

    CONSTRAINT "usage_rollups_pkey" PRIMARY KEY ("account_id","seat_id","width","bucket","key_id","model_id")
);

-- CreateIndex
CREATE INDEX "pools_account_id_idx" ON "pools"("account_id");

-- CreateIndex
CREATE INDEX "pools_team_id_idx" ON "pools"("team_id");

-- CreateIndex
CREATE INDEX "pools_seat_id_idx" ON "pools"("seat_id");

-- CreateIndex
CREATE INDEX "pools_resets_at_idx" ON "pools"("resets_at");

-- CreateIndex
CREATE INDEX "ledger_entries_pool_id_idx" ON "ledger_entries"("pool_id");

-- CreateIndex
CREATE UNIQUE INDEX "ledger_entries_request_id_pool_id_key" ON "ledger_entries"("request_id", "pool_id");

-- CreateIndex
CREATE INDEX "allowances_closed_at_idx" ON "allowances"("closed_at");

-- CreateIndex
CREATE INDEX "allowance_parts_pool_id_idx" ON "allowance_parts"("pool_id");

-- CreateIndex
CREATE INDEX "usage_records_ended_at_idx" ON "usage_records"("ended_at");

-- CreateIndex
CREATE INDEX "usage_checkpoints_allowance_id_idx" ON "usage_checkpoints"("allowance_id");

-- CreateIndex
CREATE INDEX "usage_rollups_width_bucket_idx" ON "usage_rollups"("width", "bucket");

-- AddForeignKey
ALTER TABLE "pools" ADD CONSTRAINT "pools_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "pools" ADD CONSTRAINT "pools_team_id_fkey" FOREIGN KEY ("team_id") REFERENCES "teams"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "pools" ADD CONSTRAINT "pools_seat_id_fkey" FOREIGN KEY ("seat_id") REFERENCES "seats"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "ledger_entries" ADD CONSTRAINT "ledger_entries_pool_id_fkey" FOREIGN KEY ("pool_id") REFERENCES "pools"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "allowance_parts" ADD CONSTRAINT "allowance_parts_allowance_id_fkey" FOREIGN KEY ("allowance_id") REFERENCES "allowances"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "allowance_parts" ADD CONSTRAINT "allowance_parts_pool_id_fkey" FOREIGN KEY ("pool_id") REFERENCES "pools"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- What Prisma's schema language cannot say.

ALTER TABLE "pools"
  ADD CONSTRAINT "pools_one_owner" CHECK (num_nonnulls("account_id", "team_id", "seat_id") = 1),
  ADD CONSTRAINT "pools_add_up" CHECK (
    "included" = "remaining" + "held" + "charged" AND "remaining" >= 0 AND "held" >= 0 AND "charged" >= 0
  );

ALTER TABLE "ledger_entries" ADD CONSTRAINT "ledger_entries_kind" CHECK (
  "kind" IN ('included', 'charge', 'reset') AND ("kind" = 'charge') = ("request_id" IS NOT NULL)
);

ALTER TABLE "allowance_parts" ADD CONSTRAINT "allowance_parts_held" CHECK ("held" >= 0);

ALTER TABLE "usage_records"
  ADD CONSTRAINT "usage_records_add_up" CHECK (
    "cost" = "charged" + "uncollected" AND "charged" >= 0 AND "uncollected" >= 0 AND "held" >= 0
  ),
  ADD CONSTRAINT "usage_records_units" CHECK (
    "input_tokens" >= "cached_input_tokens" AND "cached_input_tokens" >= 0 AND "output_tokens" >= 0 AND "images" >= 0
    AND "characters" >= 0 AND "audio_ms" >= 0 AND "search_units" >= 0
  );

ALTER TABLE "usage_rollups" ADD CONSTRAINT "usage_rollups_width" CHECK ("width" IN (60, 3600, 86400));

CREATE INDEX "allowances_open" ON "allowances" ("instance_id") WHERE "closed_at" IS NULL;

-- The functions that move money. Each is one statement for its caller, so that no transaction waits for a caller while
-- it holds locks. All of them lock the pools they need first, in order of their ids; whoever has these locks may change
-- the pools and every allowance on them.

-- The pools that pay for a key, in the order in which they are drawn on: the seat's, then its team's; any other key's
-- account's. Within a level the soonest to be reset first.
CREATE FUNCTION payer_pools(p_account_id text, p_seat_id text, p_team_id text) RETURNS SETOF pools
LANGUAGE sql STABLE AS $$
  SELECT * FROM pools
  WHERE CASE WHEN p_seat_id IS NULL THEN account_id = p_account_id
        ELSE seat_id = p_seat_id OR team_id = p_team_id END
  ORDER BY seat_id IS NULL, resets_at NULLS LAST, created_at, id
$$;

-- The first of the next calendar month, UTC.
CREATE FUNCTION next_month() RETURNS timestamptz
LANGUAGE sql STABLE AS $$
  SELECT (date_trunc('month', now() AT TIME ZONE 'UTC') + interval '1 month') AT TIME ZONE 'UTC'
$$;

-- Locks pools, and fills those whose month is over: what is held stays held, and is charged to the new month.
CREATE FUNCTION lock_pools(p_ids text[]) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM pools WHERE id = ANY(p_ids) ORDER BY id FOR UPDATE;
  INSERT INTO ledger_entries (pool_id, kind, amount)
  SELECT id, 'reset', charged FROM pools WHERE id = ANY(p_ids) AND resets_at <= now() AND charged > 0;
  UPDATE pools SET remaining = included - held, charged = 0, resets_at = next_month()
  WHERE id = ANY(p_ids) AND resets_at <= now();
END
$$;

-- Asks for what other allowances on pools hold unused; the caller holds the locks of the pools.
-- @returns those that have to answer, each with the recall to be answered; one that is still out is not asked twice.
-- One whose data plane is gone is among them although it cannot answer: nobody uses what it holds.
CREATE FUNCTION recall_allowances(p_pool_ids text[], p_except text) RETURNS TABLE ("allowanceId" text, recall int)
LANGUAGE plpgsql AS $$
BEGIN
  UPDATE pools SET recalled_at = now() WHERE id = ANY(p_pool_ids);
  RETURN QUERY
    UPDATE allowances a SET recall = greatest(a.recall, a.answered + 1)
    WHERE a.closed_at IS NULL AND a.id <> p_except AND a.id IN (
      SELECT part.allowance_id FROM allowance_parts part WHERE part.pool_id = ANY(p_pool_ids) AND part.held > 0
    ) AND (
      NOT a.exact OR NOT EXISTS (
        SELECT FROM key_watchers w WHERE w.instance_id = a.instance_id AND w.lease_until > now()
      )
    )
    RETURNING a.id, a.recall;
  PERFORM pg_notify('gateway_recalls', '');
END
$$;

-- Sets money aside for as many of the needs as can be covered, from the first on, and some to spare when there is
-- plenty. An allowance that does not exist is opened. What the data plane does not use is taken back first, in the same
-- statement, so that whoever waits for money never holds a part of it that could cover somebody else.
--   p_returned   all that the data plane says it has ever given back
--   lapsed     the data plane has no lease; nothing was granted, because it could be freed at any moment
--   closed     the allowance was closed; nothing was granted, a new id is needed
--   granted    all that was ever granted to the allowance
--   covered    how many of the needs this grant covers
--   exact      nothing was granted to spare
--   recall     the last recall that the grant knew of
--   recalls    when not even the first need is covered: what others have been asked for, as an array of allowanceId and
--              recall; without any, the need cannot be covered
--   available, held, resets_at   of the payer's pools, after the grant
CREATE FUNCTION acquire_allowance(
  p_id text, p_instance_id text, p_account_id text, p_seat_id text, p_team_id text, p_needs bigint[], p_spare bigint,
  p_returned bigint DEFAULT 0,
  OUT lapsed boolean, OUT closed boolean, OUT granted bigint, OUT covered int, OUT exact boolean, OUT recall int,
  OUT recalls jsonb, OUT available bigint, OUT held bigint, OUT resets_at timestamptz
)
LANGUAGE plpgsql AS $$
DECLARE
  v_ids text[];
  v_recalled boolean;
  v_grant bigint := 0;
  v_spare bigint := 0;
  v_need bigint;
  v_take bigint;
  v_pool record;
BEGIN
  SELECT array_agg(id) INTO v_ids FROM payer_pools(p_account_id, p_seat_id, p_team_id);
  PERFORM lock_pools(v_ids);
  PERFORM return_allowance(p_id, p_returned, 0, false);
  SELECT coalesce(sum(remaining), 0), coalesce(bool_or(recalled_at > now() - interval '2 seconds'), false)
  INTO available, v_recalled FROM pools WHERE id = ANY(v_ids);
  INSERT INTO allowances (id, instance_id, account_id, seat_id, team_id)
  VALUES (p_id, p_instance_id, p_account_id, p_seat_id, p_team_id) ON CONFLICT DO NOTHING;
  SELECT a.closed_at IS NOT NULL INTO closed FROM allowances a WHERE a.id = p_id FOR UPDATE;
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
  UPDATE allowances a SET granted = a.granted + v_grant, exact = a.exact AND v_spare = 0, used_at = now()
  WHERE a.id = p_id RETURNING a.granted, a.recall INTO acquire_allowance.granted, acquire_allowance.recall;
  FOR v_pool IN SELECT p.id, p.remaining FROM payer_pools(p_account_id, p_seat_id, p_team_id) p LOOP
    EXIT WHEN v_grant = 0;
    v_take := least(v_grant, v_pool.remaining);
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
  SELECT coalesce(sum(p.held), 0), min(p.resets_at) INTO acquire_allowance.held, acquire_allowance.resets_at
  FROM pools p WHERE p.id = ANY(v_ids);
END
$$;

-- Takes back what an allowance does not use: the last pool that would be drawn on gets it first.
--   p_returned   all that the data plane says it has ever given back; what is said twice counts once
--   p_recall     the recall that this answers; 0: none
--   p_close      everything is given back, and nothing can be granted any more
--   p_granted    all that the data plane knows it was granted. While a grant is on its way to it, it cannot answer for
--                that, so a recall stays unanswered; null: all of it
CREATE FUNCTION return_allowance(
  p_id text, p_returned bigint, p_recall int, p_close boolean, p_granted bigint DEFAULT NULL,
  OUT granted bigint, OUT closed boolean
)
LANGUAGE plpgsql AS $$
DECLARE
  v_allowance allowances;
  v_recall int := p_recall;
  v_returned bigint;
  v_due bigint;
  v_take bigint;
  v_part record;
BEGIN
  PERFORM lock_pools((SELECT array_agg(pool_id) FROM allowance_parts WHERE allowance_id = p_id));
  SELECT * INTO v_allowance FROM allowances WHERE id = p_id FOR UPDATE;
  granted := coalesce(v_allowance.granted, 0);
  closed := v_allowance.id IS NULL OR v_allowance.closed_at IS NOT NULL;
  IF closed THEN RETURN; END IF;
  IF p_granted < granted THEN v_recall := 0; END IF;
  v_returned := greatest(least(p_returned, granted), v_allowance.returned);
  v_due := v_returned - v_allowance.returned;
  FOR v_part IN
    SELECT part.pool_id, part.held
    FROM payer_pools(v_allowance.account_id, v_allowance.seat_id, v_allowance.team_id) WITH ORDINALITY AS p
    JOIN allowance_parts part ON part.pool_id = p.id AND part.allowance_id = p_id
    WHERE part.held > 0 ORDER BY p.ordinality DESC
  LOOP
    v_take := CASE WHEN p_close THEN v_part.held ELSE least(v_due, v_part.held) END;
    CONTINUE WHEN v_take = 0;
    UPDATE allowance_parts SET held = held - v_take WHERE allowance_id = p_id AND pool_id = v_part.pool_id;
    UPDATE pools SET held = held - v_take, remaining = remaining + v_take WHERE id = v_part.pool_id;
    v_due := v_due - v_take;
  END LOOP;
  UPDATE allowances SET returned = v_returned, answered = greatest(answered, v_recall),
    exact = exact OR (v_recall > 0 AND v_recall >= recall), used_at = now(), closed_at = CASE WHEN p_close THEN now() END
  WHERE id = p_id;
  IF p_close THEN
    closed := true;
    DELETE FROM usage_checkpoints WHERE allowance_id = p_id;
  END IF;
  IF v_recall > 0 OR p_close THEN PERFORM pg_notify('gateway_returns', ''); END IF;
END
$$;

-- Adds usage records to the sums of their minute, hour and day, or with -1 takes them out again.
CREATE FUNCTION add_to_rollups(p_request_ids text[], p_sign int) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO usage_rollups AS sum (
    account_id, seat_id, width, bucket, key_id, model_id, capability, requests, input_tokens, cached_input_tokens,
    output_tokens, images, characters, audio_ms, search_units, charged
  )
  SELECT account_id, coalesce(seat_id, ''), width, to_timestamp(floor(extract(epoch FROM ended_at) / width) * width),
    key_id, model_id, min(capability), p_sign * count(*), p_sign * sum(input_tokens), p_sign * sum(cached_input_tokens),
    p_sign * sum(output_tokens), p_sign * sum(images), p_sign * sum(characters), p_sign * sum(audio_ms),
    p_sign * sum(search_units), p_sign * sum(charged)
  FROM usage_records, (VALUES (60), (3600), (86400)) AS widths (width)
  WHERE request_id = ANY(p_request_ids)
  GROUP BY 1, 2, 3, 4, 5, 6
  ORDER BY 1, 2, 3, 4, 5, 6
  ON CONFLICT (account_id, seat_id, width, bucket, key_id, model_id) DO UPDATE SET
    requests = sum.requests + EXCLUDED.requests,
    input_tokens = sum.input_tokens + EXCLUDED.input_tokens,
    cached_input_tokens = sum.cached_input_tokens + EXCLUDED.cached_input_tokens,
    output_tokens = sum.output_tokens + EXCLUDED.output_tokens,
    images = sum.images + EXCLUDED.images,
    characters = sum.characters + EXCLUDED.characters,
    audio_ms = sum.audio_ms + EXCLUDED.audio_ms,
    search_units = sum.search_units + EXCLUDED.search_units,
    charged = sum.charged + EXCLUDED.charged;
END
$$;

-- Stores ended requests and charges what they cost: first to what was set aside for them, then to what the pools still
-- have; the rest is uncollected. A request that is stored already changes nothing, unless what is stored is only what
-- was known of it when its data plane seemed to be gone: then the rest of its cost is charged, once.
--   p_records       an array of objects whose members are those of the recordset below
--   p_provisional   this is only what is known of them
CREATE FUNCTION settle_usage(p_records jsonb, p_provisional boolean DEFAULT false) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  v_fresh text[];
  -- What is charged already, by request id.
  v_charged jsonb := '{}';
  v_record record;
  v_pool record;
  v_due bigint;
  v_take bigint;
BEGIN
  -- A request that is there twice is one request.
  SELECT jsonb_agg(record ORDER BY place) INTO p_records FROM (
    SELECT DISTINCT ON (record->>'requestId') record, place
    FROM jsonb_array_elements(p_records) WITH ORDINALITY AS given (record, place)
    ORDER BY record->>'requestId', place
  ) AS first;
  PERFORM lock_pools((
    SELECT array_agg(DISTINCT p.id)
    FROM (
      SELECT DISTINCT "accountId", "seatId", "teamId"
      FROM jsonb_to_recordset(p_records) AS r ("accountId" text, "seatId" text, "teamId" text, cost bigint)
      WHERE cost > 0
    ) AS payer, payer_pools(payer."accountId", payer."seatId", payer."teamId") AS p
  ));
  IF NOT p_provisional THEN
    SELECT array_agg(request_id), coalesce(jsonb_object_agg(request_id, charged), '{}') INTO v_fresh, v_charged
    FROM usage_records WHERE is_provisional AND request_id IN (
      SELECT "requestId" FROM jsonb_to_recordset(p_records) AS r ("requestId" text)
    );
    IF v_fresh IS NOT NULL THEN
      PERFORM add_to_rollups(v_fresh, -1);
      DELETE FROM usage_records WHERE request_id = ANY(v_fresh);
    END IF;
  END IF;
  WITH stored AS (
    INSERT INTO usage_records (
      request_id, account_id, seat_id, team_id, key_id, model_id, capability, price_version, input_tokens,
      cached_input_tokens, output_tokens, images, characters, audio_ms, search_units, usage_source, billing_reason,
      held, cost, charged, uncollected, attempts, ended_at, is_provisional
    )
    SELECT "requestId", "accountId", "seatId", "teamId", "keyId", "modelId", capability, "priceVersion",
      "inputTokens", "cachedInputTokens", "outputTokens", images, characters, "audioMs", "searchUnits",
      "usageSource", "billingReason", held, greatest(cost, already), greatest(cost, already), 0, attempts, "endedAt",
      p_provisional
    FROM jsonb_to_recordset(p_records) AS r (
      "requestId" text, "accountId" text, "seatId" text, "teamId" text, "keyId" text, "modelId" text,
      capability text, "priceVersion" int, "inputTokens" bigint, "cachedInputTokens" bigint, "outputTokens" bigint,
      images bigint, characters bigint, "audioMs" bigint, "searchUnits" bigint, "usageSource" text,
      "billingReason" text, held bigint, cost bigint, attempts jsonb, "endedAt" timestamptz
    ), LATERAL (SELECT coalesce((v_charged->>"requestId")::bigint, 0)) AS charged (already)
    ORDER BY "requestId"
    ON CONFLICT DO NOTHING RETURNING request_id
  )
  SELECT array_agg(request_id) INTO v_fresh FROM stored;
  DELETE FROM usage_checkpoints WHERE request_id IN (
    SELECT "requestId" FROM jsonb_to_recordset(p_records) AS r ("requestId" text)
  );
  UPDATE allowances SET used_at = now() WHERE NOT p_provisional AND id IN (
    SELECT id FROM allowances WHERE id IN (
      SELECT "allowanceId" FROM jsonb_to_recordset(p_records) AS r ("allowanceId" text)
    ) ORDER BY id FOR UPDATE
  );

  FOR v_record IN
    SELECT * FROM jsonb_to_recordset(p_records) AS r (
      "requestId" text, "accountId" text, "seatId" text, "teamId" text, "allowanceId" text, cost bigint
    )
    WHERE cost > 0 AND "requestId" = ANY(v_fresh)
  LOOP
    v_due := greatest(v_record.cost - coalesce((v_charged->>v_record."requestId")::bigint, 0), 0);
    FOR v_pool IN
      SELECT p.id, part.held
      FROM payer_pools(v_record."accountId", v_record."seatId", v_record."teamId") WITH ORDINALITY AS p
      JOIN allowance_parts part ON part.pool_id = p.id AND part.allowance_id = v_record."allowanceId"
      WHERE part.held > 0 ORDER BY p.ordinality
    LOOP
      EXIT WHEN v_due = 0;
      v_take := least(v_due, v_pool.held);
      UPDATE allowance_parts SET held = held - v_take
      WHERE allowance_id = v_record."allowanceId" AND pool_id = v_pool.id;
      UPDATE pools SET held = held - v_take, charged = charged + v_take WHERE id = v_pool.id;
      INSERT INTO ledger_entries AS entry (pool_id, kind, amount, request_id)
      VALUES (v_pool.id, 'charge', -v_take, v_record."requestId")
      ON CONFLICT (request_id, pool_id) DO UPDATE SET amount = entry.amount - v_take;
      v_due := v_due - v_take;
    END LOOP;
    CONTINUE WHEN v_due = 0;
    FOR v_pool IN
      SELECT p.id, p.remaining
      FROM payer_pools(v_record."accountId", v_record."seatId", v_record."teamId") WITH ORDINALITY AS p
      WHERE p.remaining > 0 ORDER BY p.ordinality
    LOOP
      EXIT WHEN v_due = 0;
      v_take := least(v_due, v_pool.remaining);
      UPDATE pools SET remaining = remaining - v_take, charged = charged + v_take WHERE id = v_pool.id;
      INSERT INTO ledger_entries AS entry (pool_id, kind, amount, request_id)
      VALUES (v_pool.id, 'charge', -v_take, v_record."requestId")
      ON CONFLICT (request_id, pool_id) DO UPDATE SET amount = entry.amount - v_take;
      v_due := v_due - v_take;
    END LOOP;
    IF v_due > 0 THEN
      UPDATE usage_records SET charged = cost - v_due, uncollected = v_due WHERE request_id = v_record."requestId";
    END IF;
  END LOOP;

  PERFORM add_to_rollups(v_fresh, 1);
END
$$;

-- Closes an allowance whose data plane is gone, and bills its streams as far as they have reported.
-- @returns whether it was closed here
CREATE FUNCTION close_expired_allowance(p_id text, p_grace interval) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
  v_closed boolean;
BEGIN
  IF NOT EXISTS (
    SELECT FROM allowances a
    WHERE a.id = p_id AND a.closed_at IS NULL AND a.used_at < now() - p_grace AND NOT EXISTS (
      SELECT FROM key_watchers w WHERE w.instance_id = a.instance_id AND w.lease_until > now() - p_grace
    )
  ) THEN RETURN false; END IF;
  PERFORM settle_usage(coalesce(
    (SELECT jsonb_agg(record) FROM usage_checkpoints WHERE allowance_id = p_id), '[]'
  ), true);
  SELECT closed INTO v_closed FROM return_allowance(p_id, 0, 0, true);
  RETURN v_closed;
END
$$;
