-- Units that providers of further dialects report: tokens written to a cache, of reasoning, audio and images,
-- searches and other calls of their tools. Records of before have none of them.
-- AlterTable
ALTER TABLE "usage_records"
  ADD COLUMN "cache_write_tokens" BIGINT NOT NULL DEFAULT 0,
  ADD COLUMN "cache_write_1h_tokens" BIGINT NOT NULL DEFAULT 0,
  ADD COLUMN "audio_input_tokens" BIGINT NOT NULL DEFAULT 0,
  ADD COLUMN "image_input_tokens" BIGINT NOT NULL DEFAULT 0,
  ADD COLUMN "reasoning_tokens" BIGINT NOT NULL DEFAULT 0,
  ADD COLUMN "audio_output_tokens" BIGINT NOT NULL DEFAULT 0,
  ADD COLUMN "image_output_tokens" BIGINT NOT NULL DEFAULT 0,
  ADD COLUMN "web_search_requests" BIGINT NOT NULL DEFAULT 0,
  ADD COLUMN "tool_calls" BIGINT NOT NULL DEFAULT 0,
  ADD COLUMN "parts" JSONB;

-- AlterTable
ALTER TABLE "usage_rollups"
  ADD COLUMN "cache_write_tokens" BIGINT NOT NULL DEFAULT 0,
  ADD COLUMN "cache_write_1h_tokens" BIGINT NOT NULL DEFAULT 0,
  ADD COLUMN "audio_input_tokens" BIGINT NOT NULL DEFAULT 0,
  ADD COLUMN "image_input_tokens" BIGINT NOT NULL DEFAULT 0,
  ADD COLUMN "reasoning_tokens" BIGINT NOT NULL DEFAULT 0,
  ADD COLUMN "audio_output_tokens" BIGINT NOT NULL DEFAULT 0,
  ADD COLUMN "image_output_tokens" BIGINT NOT NULL DEFAULT 0,
  ADD COLUMN "web_search_requests" BIGINT NOT NULL DEFAULT 0,
  ADD COLUMN "tool_calls" BIGINT NOT NULL DEFAULT 0;

-- What the schema language cannot say. The rows that are there have passed the check of before and have none of the new
-- units, so they need not be read, which would lock the table for as long: NOT VALID.
ALTER TABLE "usage_records" DROP CONSTRAINT "usage_records_units";
ALTER TABLE "usage_records" ADD CONSTRAINT "usage_records_units" CHECK (
  least(
    "input_tokens", "cached_input_tokens", "cache_write_tokens", "cache_write_1h_tokens", "audio_input_tokens",
    "image_input_tokens", "output_tokens", "reasoning_tokens", "audio_output_tokens", "image_output_tokens",
    "images", "characters", "audio_ms", "search_units", "web_search_requests", "tool_calls"
  ) >= 0
  AND "input_tokens" >= "cached_input_tokens" + "cache_write_tokens" + "cache_write_1h_tokens"
    + "audio_input_tokens" + "image_input_tokens"
  AND "output_tokens" >= "reasoning_tokens" + "audio_output_tokens" + "image_output_tokens"
) NOT VALID;

-- Adds usage records to the sums of their minute, hour and day, or with -1 takes them out again.
--
-- A connection keeps the plans of its first calls, when the tables were small or not analyzed yet. Reading
-- usage_records from end to end for every batch then costs more the longer it goes on, so that is switched
-- off. Until Postgres 17 a plan that must read a table whole all the same has a cost so high that it would be
-- compiled, which takes longer than to run it, so that is switched off, too.
CREATE OR REPLACE FUNCTION add_to_rollups(p_request_ids text[], p_sign int) RETURNS void
LANGUAGE plpgsql SET enable_seqscan = off SET jit = off AS $$
BEGIN
  INSERT INTO usage_rollups AS sum (
    account_id, seat_id, width, bucket, key_id, model_id, capability, requests, input_tokens, cached_input_tokens,
    output_tokens, images, characters, audio_ms, search_units, cache_write_tokens, cache_write_1h_tokens,
    audio_input_tokens, image_input_tokens, reasoning_tokens, audio_output_tokens, image_output_tokens,
    web_search_requests, tool_calls, charged
  )
  SELECT account_id, coalesce(seat_id, ''), width, to_timestamp(floor(extract(epoch FROM ended_at) / width) * width),
    key_id, model_id, min(capability), p_sign * count(*), p_sign * sum(input_tokens), p_sign * sum(cached_input_tokens),
    p_sign * sum(output_tokens), p_sign * sum(images), p_sign * sum(characters), p_sign * sum(audio_ms),
    p_sign * sum(search_units), p_sign * sum(cache_write_tokens), p_sign * sum(cache_write_1h_tokens),
    p_sign * sum(audio_input_tokens), p_sign * sum(image_input_tokens), p_sign * sum(reasoning_tokens),
    p_sign * sum(audio_output_tokens), p_sign * sum(image_output_tokens), p_sign * sum(web_search_requests),
    p_sign * sum(tool_calls), p_sign * sum(charged)
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
    cache_write_tokens = sum.cache_write_tokens + EXCLUDED.cache_write_tokens,
    cache_write_1h_tokens = sum.cache_write_1h_tokens + EXCLUDED.cache_write_1h_tokens,
    audio_input_tokens = sum.audio_input_tokens + EXCLUDED.audio_input_tokens,
    image_input_tokens = sum.image_input_tokens + EXCLUDED.image_input_tokens,
    reasoning_tokens = sum.reasoning_tokens + EXCLUDED.reasoning_tokens,
    audio_output_tokens = sum.audio_output_tokens + EXCLUDED.audio_output_tokens,
    image_output_tokens = sum.image_output_tokens + EXCLUDED.image_output_tokens,
    web_search_requests = sum.web_search_requests + EXCLUDED.web_search_requests,
    tool_calls = sum.tool_calls + EXCLUDED.tool_calls,
    charged = sum.charged + EXCLUDED.charged;
END
$$;

-- Stores ended requests and charges what they cost: first to what was set aside for them, then to what the
-- pools still have; the rest is uncollected. A request that is stored already changes nothing, unless what is
-- stored is only what was known of it when its data plane seemed to be gone: then the rest of its cost is
-- charged, once.
--   p_records      an array of objects whose members are those of the recordset below
--   p_provisional  this is only what is known of them
--
-- A connection keeps the plans of its first calls, when the tables were small or not analyzed yet. Reading
-- usage_records from end to end for every batch then costs more the longer it goes on, so that is switched
-- off. Until Postgres 17 a plan that must read a table whole all the same has a cost so high that it would be
-- compiled, which takes longer than to run it, so that is switched off, too.
CREATE OR REPLACE FUNCTION settle_usage(p_records jsonb, p_provisional boolean DEFAULT false) RETURNS void
LANGUAGE plpgsql SET enable_seqscan = off SET jit = off AS $$
DECLARE
  v_ids text[];
  v_fresh text[];
  -- What is charged already, by request id.
  v_charged jsonb := '{}';
  v_record record;
  v_pool record;
  v_due bigint;
  v_take bigint;
  v_done text[];
BEGIN
  -- A request that is there twice is one request.
  SELECT jsonb_agg(record ORDER BY place), array_agg(record->>'requestId') INTO p_records, v_ids FROM (
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
    FROM usage_records WHERE is_provisional AND request_id = ANY(v_ids);
    IF v_fresh IS NOT NULL THEN
      PERFORM add_to_rollups(v_fresh, -1);
      DELETE FROM usage_records WHERE request_id = ANY(v_fresh);
    END IF;
  END IF;
  WITH stored AS (
    INSERT INTO usage_records (
      request_id, account_id, seat_id, team_id, key_id, model_id, capability, price_version, input_tokens,
      cached_input_tokens, output_tokens, images, characters, audio_ms, search_units, cache_write_tokens,
      cache_write_1h_tokens, audio_input_tokens, image_input_tokens, reasoning_tokens, audio_output_tokens,
      image_output_tokens, web_search_requests, tool_calls, parts, usage_source, billing_reason, held, cost, charged,
      uncollected, attempts, ended_at, is_provisional, client_status, client_error_code
    )
    SELECT "requestId", "accountId", "seatId", "teamId", "keyId", "modelId", capability, "priceVersion",
      "inputTokens", "cachedInputTokens", "outputTokens", images, characters, "audioMs", "searchUnits",
      -- The release before says nothing of these.
      coalesce("cacheWriteTokens", 0), coalesce("cacheWrite1hTokens", 0), coalesce("audioInputTokens", 0),
      coalesce("imageInputTokens", 0), coalesce("reasoningTokens", 0), coalesce("audioOutputTokens", 0),
      coalesce("imageOutputTokens", 0), coalesce("webSearchRequests", 0), coalesce("toolCalls", 0),
      parts, "usageSource", "billingReason", held, greatest(cost, already), greatest(cost, already), 0, attempts,
      "endedAt", p_provisional, "clientStatus", "clientErrorCode"
    FROM jsonb_to_recordset(p_records) AS r (
      "requestId" text, "accountId" text, "seatId" text, "teamId" text, "keyId" text, "modelId" text,
      capability text, "priceVersion" int, "inputTokens" bigint, "cachedInputTokens" bigint, "outputTokens" bigint,
      images bigint, characters bigint, "audioMs" bigint, "searchUnits" bigint, "cacheWriteTokens" bigint,
      "cacheWrite1hTokens" bigint, "audioInputTokens" bigint, "imageInputTokens" bigint, "reasoningTokens" bigint,
      "audioOutputTokens" bigint, "imageOutputTokens" bigint, "webSearchRequests" bigint, "toolCalls" bigint,
      parts jsonb, "usageSource" text, "billingReason" text, held bigint, cost bigint, attempts jsonb,
      "endedAt" timestamptz, "clientStatus" int, "clientErrorCode" text
    ), LATERAL (SELECT coalesce((v_charged->>"requestId")::bigint, 0)) AS charged (already)
    ORDER BY "requestId"
    ON CONFLICT DO NOTHING RETURNING request_id
  )
  SELECT array_agg(request_id) INTO v_fresh FROM stored;
  DELETE FROM usage_checkpoints WHERE request_id = ANY(v_ids);
  UPDATE allowances SET used_at = now() WHERE NOT p_provisional AND id IN (
    SELECT id FROM allowances WHERE id IN (
      SELECT "allowanceId" FROM jsonb_to_recordset(p_records) AS r ("allowanceId" text)
    ) ORDER BY id FOR UPDATE
  );

  -- Nearly always the first part of an allowance covers all that the batch says of it: that is charged in one go.
  WITH due AS (
    SELECT "requestId" AS request_id, "allowanceId" AS allowance_id, "accountId" AS account_id,
      "seatId" AS seat_id, "teamId" AS team_id,
      greatest(cost - coalesce((v_charged->>"requestId")::bigint, 0), 0) AS amount
    FROM jsonb_to_recordset(p_records) AS r (
      "requestId" text, "accountId" text, "seatId" text, "teamId" text, "allowanceId" text, cost bigint
    )
    WHERE cost > 0 AND "requestId" IN (SELECT unnest(v_fresh))
  ), total AS (
    SELECT allowance_id, min(account_id) AS account_id, min(seat_id) AS seat_id, min(team_id) AS team_id,
      sum(amount) AS amount
    FROM due GROUP BY allowance_id
    HAVING count(DISTINCT (account_id, seat_id, team_id)) = 1
  ), covered AS (
    SELECT total.allowance_id, total.amount, first_part.pool_id
    FROM total, LATERAL (
      SELECT part.pool_id, part.held
      FROM payer_pools(total.account_id, total.seat_id, total.team_id) WITH ORDINALITY AS p
      JOIN allowance_parts part ON part.pool_id = p.id AND part.allowance_id = total.allowance_id
      WHERE part.held > 0 ORDER BY p.ordinality LIMIT 1
    ) AS first_part
    WHERE first_part.held >= total.amount
  ), parts AS (
    UPDATE allowance_parts part SET held = held - covered.amount FROM covered
    WHERE part.allowance_id = covered.allowance_id AND part.pool_id = covered.pool_id
  ), charges AS (
    UPDATE pools SET held = held - sum.amount, charged = charged + sum.amount
    FROM (SELECT pool_id, sum(amount) AS amount FROM covered GROUP BY pool_id) AS sum
    WHERE pools.id = sum.pool_id
  ), entries AS (
    INSERT INTO ledger_entries AS entry (pool_id, kind, amount, request_id)
    SELECT covered.pool_id, 'charge', -due.amount, due.request_id
    FROM due JOIN covered USING (allowance_id) WHERE due.amount > 0
    ON CONFLICT (request_id, pool_id) DO UPDATE SET amount = entry.amount + EXCLUDED.amount
  )
  SELECT array_agg(due.request_id) INTO v_done FROM due JOIN covered USING (allowance_id);

  FOR v_record IN
    SELECT * FROM ROWS FROM (
      jsonb_to_recordset(p_records) AS (
        "requestId" text, "accountId" text, "seatId" text, "teamId" text, "allowanceId" text, cost bigint
      )
    ) WITH ORDINALITY AS r
    WHERE cost > 0 AND "requestId" IN (SELECT unnest(v_fresh))
      AND NOT EXISTS (SELECT FROM unnest(v_done) AS done (id) WHERE done.id = "requestId")
    ORDER BY ordinality
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
