-- Stores ended requests and charges what they cost: first to what was set aside for them, then to what the
-- pools still have; the rest is uncollected. A request that is stored already changes nothing, unless what is
-- stored is only what was known of it when its data plane seemed to be gone: then the rest of its cost is
-- charged, once.
--   p_records      an array of objects whose members are those of the recordset below; a unit that is not there is 0
--   p_provisional  this is only what is known of them
--
-- A connection keeps the plans of its first calls, when the tables were small or not analyzed yet. Reading
-- usage_records from end to end for every batch then costs more the longer it goes on, so that is switched
-- off. Until Postgres 17 a plan that must read a table whole all the same has a cost so high that it would be
-- compiled, which takes longer than to run it, so that is switched off, too.
CREATE OR REPLACE FUNCTION settle_usage(p_records jsonb, p_provisional boolean DEFAULT false) RETURNS void
LANGUAGE plpgsql SET enable_seqscan = off SET jit = off AS $$
DECLARE
  -- What is charged by, of all records, in their order: reading JSON again for each step would cost more.
  v_ids text[];
  v_allowances text[];
  v_accounts text[];
  v_seats text[];
  v_teams text[];
  v_costs bigint[];
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
  IF EXISTS (
    SELECT FROM jsonb_to_recordset(p_records) AS r ("requestId" text) GROUP BY "requestId" HAVING count(*) > 1
  ) THEN
    SELECT jsonb_agg(record ORDER BY place) INTO p_records FROM (
      SELECT DISTINCT ON (record->>'requestId') record, place
      FROM jsonb_array_elements(p_records) WITH ORDINALITY AS given (record, place)
      ORDER BY record->>'requestId', place
    ) AS first;
  END IF;
  SELECT array_agg("requestId"), array_agg("allowanceId"), array_agg("accountId"), array_agg("seatId"),
    array_agg("teamId"), array_agg(cost)
  INTO v_ids, v_allowances, v_accounts, v_seats, v_teams, v_costs
  FROM jsonb_to_recordset(p_records) AS r (
    "requestId" text, "allowanceId" text, "accountId" text, "seatId" text, "teamId" text, cost bigint
  );

  PERFORM lock_pools((
    SELECT array_agg(DISTINCT p.id)
    FROM (
      SELECT DISTINCT account_id, seat_id, team_id
      FROM unnest(v_accounts, v_seats, v_teams, v_costs) AS r (account_id, seat_id, team_id, cost)
      WHERE cost > 0
    ) AS payer, payer_pools(payer.account_id, payer.seat_id, payer.team_id) AS p
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
      coalesce("inputTokens", 0), coalesce("cachedInputTokens", 0), coalesce("outputTokens", 0),
      coalesce(images, 0), coalesce(characters, 0), coalesce("audioMs", 0), coalesce("searchUnits", 0),
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
    SELECT id FROM allowances WHERE id IN (SELECT DISTINCT unnest(v_allowances)) ORDER BY id FOR UPDATE
  );

  -- Nearly always the first part of an allowance covers all that the batch says of it: that is charged in one go.
  WITH due AS (
    SELECT request_id, allowance_id, account_id, seat_id, team_id,
      greatest(cost - coalesce((v_charged->>request_id)::bigint, 0), 0) AS amount
    FROM unnest(v_ids, v_allowances, v_accounts, v_seats, v_teams, v_costs)
      AS r (request_id, allowance_id, account_id, seat_id, team_id, cost)
    WHERE cost > 0 AND request_id IN (SELECT unnest(v_fresh))
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
    SELECT *
    FROM unnest(v_ids, v_allowances, v_accounts, v_seats, v_teams, v_costs) WITH ORDINALITY
      AS r (request_id, allowance_id, account_id, seat_id, team_id, cost, place)
    WHERE cost > 0 AND request_id IN (SELECT unnest(v_fresh))
      AND request_id NOT IN (SELECT unnest(coalesce(v_done, '{}')))
    ORDER BY place
  LOOP
    v_due := greatest(v_record.cost - coalesce((v_charged->>v_record.request_id)::bigint, 0), 0);
    FOR v_pool IN
      SELECT p.id, part.held
      FROM payer_pools(v_record.account_id, v_record.seat_id, v_record.team_id) WITH ORDINALITY AS p
      JOIN allowance_parts part ON part.pool_id = p.id AND part.allowance_id = v_record.allowance_id
      WHERE part.held > 0 ORDER BY p.ordinality
    LOOP
      EXIT WHEN v_due = 0;
      v_take := least(v_due, v_pool.held);
      UPDATE allowance_parts SET held = held - v_take
      WHERE allowance_id = v_record.allowance_id AND pool_id = v_pool.id;
      UPDATE pools SET held = held - v_take, charged = charged + v_take WHERE id = v_pool.id;
      INSERT INTO ledger_entries AS entry (pool_id, kind, amount, request_id)
      VALUES (v_pool.id, 'charge', -v_take, v_record.request_id)
      ON CONFLICT (request_id, pool_id) DO UPDATE SET amount = entry.amount - v_take;
      v_due := v_due - v_take;
    END LOOP;
    CONTINUE WHEN v_due = 0;
    FOR v_pool IN
      SELECT p.id, p.remaining
      FROM payer_pools(v_record.account_id, v_record.seat_id, v_record.team_id) WITH ORDINALITY AS p
      WHERE p.remaining > 0 ORDER BY p.ordinality
    LOOP
      EXIT WHEN v_due = 0;
      v_take := least(v_due, v_pool.remaining);
      UPDATE pools SET remaining = remaining - v_take, charged = charged + v_take WHERE id = v_pool.id;
      INSERT INTO ledger_entries AS entry (pool_id, kind, amount, request_id)
      VALUES (v_pool.id, 'charge', -v_take, v_record.request_id)
      ON CONFLICT (request_id, pool_id) DO UPDATE SET amount = entry.amount - v_take;
      v_due := v_due - v_take;
    END LOOP;
    IF v_due > 0 THEN
      UPDATE usage_records SET charged = cost - v_due, uncollected = v_due WHERE request_id = v_record.request_id;
    END IF;
  END LOOP;

  PERFORM add_to_rollups(v_fresh, 1);
END
$$;
