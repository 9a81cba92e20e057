-- A key that is in use was three sums a minute. Now it is one: hours and days get many minutes at once. And whoever asks
-- for a month of an account with thousands of keys reads a sum for each of its models and days instead of each key.
-- CreateTable
CREATE TABLE "usage_days" (
    "account_id" TEXT NOT NULL,
    "seat_id" TEXT NOT NULL,
    "bucket" TIMESTAMPTZ(3) NOT NULL,
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
    "cache_write_tokens" BIGINT NOT NULL,
    "cache_write_1h_tokens" BIGINT NOT NULL,
    "audio_input_tokens" BIGINT NOT NULL,
    "image_input_tokens" BIGINT NOT NULL,
    "reasoning_tokens" BIGINT NOT NULL,
    "audio_output_tokens" BIGINT NOT NULL,
    "image_output_tokens" BIGINT NOT NULL,
    "web_search_requests" BIGINT NOT NULL,
    "tool_calls" BIGINT NOT NULL,
    "charged" BIGINT NOT NULL,

    CONSTRAINT "usage_days_pkey" PRIMARY KEY ("account_id","seat_id","bucket","model_id")
);

-- CreateTable
CREATE TABLE "rollup_watermark" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "until" TIMESTAMPTZ(3) NOT NULL,
    "days_since" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "rollup_watermark_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "usage_days_bucket_idx" ON "usage_days"("bucket");

-- What the schema language cannot say.
ALTER TABLE "usage_days" SET (fillfactor = 70);
ALTER TABLE "rollup_watermark" ADD CONSTRAINT "rollup_watermark_one_row" CHECK ("id" = 1);

-- The release before reads hours and days only. Where it may be running, it finds them complete for two days more:
-- minutes before the watermark are in their hours and days at once.
INSERT INTO "rollup_watermark" ("until", "days_since")
SELECT
  CASE WHEN in_use THEN today + interval '48 hours' ELSE date_bin('1 minute', now(), 'epoch') END,
  CASE WHEN in_use THEN today + interval '48 hours' ELSE 'epoch' END
FROM (SELECT EXISTS (SELECT FROM "accounts") OR EXISTS (SELECT FROM "usage_rollups") AS in_use, date_bin('1 day', now(), 'epoch') AS today) AS state;

-- Adds usage records to the sums of their minute, and takes out what these have of replaced ones. The sums of hours
-- and days get them only where these have their minute already; they get all others with many minutes at once.
-- Sums are locked last of all, in the order of their key, and once in a transaction: so all of it is one statement.
--   p_request_ids  of the records to add
--   p_replaced     records as the sums have them; null: none
--   p_from         all minutes from here until p_until are added to their hours and days, which lack them
--   p_until        hours and days then have all minutes before this
--   p_days_since   usage_days has all days since this one
--
-- A connection keeps the plans of its first calls, when the tables were small or not analyzed yet. Reading
-- usage_records from end to end for every batch then costs more the longer it goes on, so that is switched
-- off. Until Postgres 17 a plan that must read a table whole all the same has a cost so high that it would be
-- compiled, which takes longer than to run it, so that is switched off, too.
CREATE OR REPLACE FUNCTION add_sums(
  p_request_ids text[], p_replaced usage_records[], p_from timestamptz, p_until timestamptz, p_days_since timestamptz
) RETURNS void
LANGUAGE plpgsql SET enable_seqscan = off SET jit = off SET work_mem = '64MB' AS $$
DECLARE
  -- Of the records to add, the first and the last.
  v_first_arrival text COLLATE "C";
  v_last_arrival text COLLATE "C";
BEGIN
  SELECT min(arrival), max(arrival) INTO v_first_arrival, v_last_arrival
  FROM (SELECT arrival_of(id) COLLATE "C" FROM unnest(p_request_ids) AS id) AS r (arrival);
  -- Many records make few minutes, so that hours and days are added up from these.
  WITH minutes AS MATERIALIZED (
    SELECT account_id, coalesce(seat_id, '') AS seat_id, date_bin('1 minute', ended_at, 'epoch') AS minute, key_id,
      model_id, min(capability) AS capability, count(*) AS requests,
      sum(input_tokens)::bigint AS input_tokens, sum(cached_input_tokens)::bigint AS cached_input_tokens,
      sum(output_tokens)::bigint AS output_tokens, sum(images)::bigint AS images,
      sum(characters)::bigint AS characters, sum(audio_ms)::bigint AS audio_ms,
      sum(search_units)::bigint AS search_units, sum(cache_write_tokens)::bigint AS cache_write_tokens,
      sum(cache_write_1h_tokens)::bigint AS cache_write_1h_tokens,
      sum(audio_input_tokens)::bigint AS audio_input_tokens, sum(image_input_tokens)::bigint AS image_input_tokens,
      sum(reasoning_tokens)::bigint AS reasoning_tokens, sum(audio_output_tokens)::bigint AS audio_output_tokens,
      sum(image_output_tokens)::bigint AS image_output_tokens,
      sum(web_search_requests)::bigint AS web_search_requests, sum(tool_calls)::bigint AS tool_calls,
      sum(charged)::bigint AS charged,
      true AS is_new
    FROM usage_records
    WHERE request_id = ANY(p_request_ids)
      AND (arrival = '' OR arrival BETWEEN v_first_arrival AND v_last_arrival)
    GROUP BY 1, 2, 3, 4, 5
    UNION ALL
    SELECT account_id, coalesce(seat_id, ''), date_bin('1 minute', ended_at, 'epoch'), key_id, model_id, capability,
      -1, -input_tokens, -cached_input_tokens, -output_tokens, -images, -characters, -audio_ms, -search_units,
      -cache_write_tokens, -cache_write_1h_tokens, -audio_input_tokens, -image_input_tokens, -reasoning_tokens,
      -audio_output_tokens, -image_output_tokens, -web_search_requests, -tool_calls, -charged, true
    FROM unnest(p_replaced)
    UNION ALL
    SELECT account_id, seat_id, bucket, key_id, model_id, capability,
      requests, input_tokens, cached_input_tokens, output_tokens, images, characters, audio_ms, search_units,
      cache_write_tokens, cache_write_1h_tokens, audio_input_tokens, image_input_tokens, reasoning_tokens,
      audio_output_tokens, image_output_tokens, web_search_requests, tool_calls, charged, false
    FROM usage_rollups WHERE width = 60 AND bucket >= p_from AND bucket < p_until
  ), days AS (
    INSERT INTO usage_days AS sum (
      account_id, seat_id, bucket, model_id, capability, requests, input_tokens, cached_input_tokens, output_tokens,
      images, characters, audio_ms, search_units, cache_write_tokens, cache_write_1h_tokens, audio_input_tokens,
      image_input_tokens, reasoning_tokens, audio_output_tokens, image_output_tokens, web_search_requests, tool_calls,
      charged
    )
    SELECT account_id, seat_id, date_bin('1 day', minute, 'epoch'), model_id, min(capability),
      sum(requests), sum(input_tokens), sum(cached_input_tokens), sum(output_tokens), sum(images), sum(characters),
      sum(audio_ms), sum(search_units), sum(cache_write_tokens), sum(cache_write_1h_tokens), sum(audio_input_tokens),
      sum(image_input_tokens), sum(reasoning_tokens), sum(audio_output_tokens), sum(image_output_tokens),
      sum(web_search_requests), sum(tool_calls), sum(charged)
    FROM minutes WHERE minute >= p_days_since AND minute < p_until
    GROUP BY 1, 2, 3, 4
    ORDER BY 1, 2, 3, 4
    ON CONFLICT (account_id, seat_id, bucket, model_id) DO UPDATE SET
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
      charged = sum.charged + EXCLUDED.charged
  )
  INSERT INTO usage_rollups AS sum (
    account_id, seat_id, width, bucket, key_id, model_id, capability, requests, input_tokens, cached_input_tokens,
    output_tokens, images, characters, audio_ms, search_units, cache_write_tokens, cache_write_1h_tokens,
    audio_input_tokens, image_input_tokens, reasoning_tokens, audio_output_tokens, image_output_tokens,
    web_search_requests, tool_calls, charged
  )
  SELECT account_id, seat_id, width, date_bin(make_interval(secs => width), minute, 'epoch'), key_id, model_id,
    min(capability),
    sum(requests), sum(input_tokens), sum(cached_input_tokens), sum(output_tokens), sum(images), sum(characters),
    sum(audio_ms), sum(search_units), sum(cache_write_tokens), sum(cache_write_1h_tokens), sum(audio_input_tokens),
    sum(image_input_tokens), sum(reasoning_tokens), sum(audio_output_tokens), sum(image_output_tokens),
    sum(web_search_requests), sum(tool_calls), sum(charged)
  FROM minutes
  JOIN (VALUES (60), (3600), (86400)) AS widths (width) ON CASE WHEN width = 60 THEN is_new ELSE minute < p_until END
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

-- Adds the sums of the next p_minutes minutes to those of their hours and days, once these minutes ended three minutes
-- ago: by then nearly all of their requests are settled and summed up. One at a time does so, and not while somebody adds
-- requests to hours and days (sum_up).
-- @returns whether it did; false: for now there are not so many minutes, or it cannot be done at the moment
CREATE OR REPLACE FUNCTION widen_rollups(p_minutes int) RETURNS boolean
LANGUAGE plpgsql SET enable_seqscan = off SET jit = off AS $$
DECLARE
  v_from timestamptz;
  v_until timestamptz;
  v_days_since timestamptz;
BEGIN
  IF NOT pg_try_advisory_xact_lock(hashtext('roll_up_settlements')) THEN RETURN false; END IF;
  SELECT until, days_since INTO v_from, v_days_since FROM rollup_watermark FOR UPDATE SKIP LOCKED;
  -- A gateway that was idle or stopped leaves many empty minutes.
  SELECT min(bucket) + make_interval(mins => p_minutes) INTO v_until
  FROM usage_rollups WHERE width = 60 AND bucket >= v_from;
  IF v_until IS NULL OR v_until > now() - interval '3 minutes' THEN RETURN false; END IF;
  PERFORM add_sums('{}', NULL, v_from, v_until, v_days_since);
  UPDATE rollup_watermark SET until = v_until;
  RETURN true;
END
$$;

-- Adds up the keys of one more day for usage_days, which the release before does not have: the last day that it lacks.
-- Not while somebody adds requests to days (sum_up).
-- @returns whether it did; false: all days are there, or it cannot be done at the moment
CREATE OR REPLACE FUNCTION take_over_day() RETURNS boolean
LANGUAGE plpgsql SET enable_seqscan = off SET jit = off AS $$
DECLARE
  v_days_since timestamptz;
  v_day timestamptz;
BEGIN
  SELECT days_since INTO v_days_since FROM rollup_watermark WHERE days_since > 'epoch' FOR UPDATE SKIP LOCKED;
  IF v_days_since IS NULL THEN RETURN false; END IF;
  SELECT max(bucket) INTO v_day FROM usage_rollups WHERE width = 86400 AND bucket < v_days_since;
  INSERT INTO usage_days (
    account_id, seat_id, bucket, model_id, capability, requests, input_tokens, cached_input_tokens, output_tokens,
    images, characters, audio_ms, search_units, cache_write_tokens, cache_write_1h_tokens, audio_input_tokens,
    image_input_tokens, reasoning_tokens, audio_output_tokens, image_output_tokens, web_search_requests, tool_calls,
    charged
  )
  SELECT account_id, seat_id, bucket, model_id, min(capability),
    sum(requests), sum(input_tokens), sum(cached_input_tokens), sum(output_tokens), sum(images), sum(characters),
    sum(audio_ms), sum(search_units), sum(cache_write_tokens), sum(cache_write_1h_tokens), sum(audio_input_tokens),
    sum(image_input_tokens), sum(reasoning_tokens), sum(audio_output_tokens), sum(image_output_tokens),
    sum(web_search_requests), sum(tool_calls), sum(charged)
  FROM usage_rollups WHERE width = 86400 AND bucket = v_day
  GROUP BY 1, 2, 3, 4
  ORDER BY 1, 2, 3, 4;
  UPDATE rollup_watermark SET days_since = coalesce(v_day, 'epoch');
  RETURN true;
END
$$;

-- Adds usage records to the sums, and takes out what these have of replaced ones. Nobody adds minutes to hours and days
-- meanwhile (widen_rollups), so that each record gets there once.
--   p_request_ids  of the records to add
--   p_replaced     records as the sums have them; null: none
CREATE OR REPLACE FUNCTION sum_up(p_request_ids text[], p_replaced usage_records[]) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  v_until timestamptz;
  v_days_since timestamptz;
BEGIN
  SELECT until, days_since INTO STRICT v_until, v_days_since FROM rollup_watermark FOR SHARE;
  PERFORM add_sums(p_request_ids, p_replaced, v_until, v_until, v_days_since);
END
$$;

-- settle_records for records in the form of JSON, which checkpoints have, and in which the release before
-- settles. That release knows nothing of settlements that are pending, nor of minutes that hours and days lack.
-- So both are summed up when it settles. Not for what is only known, because close_expired_allowance has more to do then; and only when all
-- requests are new and pending, because otherwise this has changed sums, which may be done once in a transaction.
--   p_records      an array of objects whose members are those of the recordset below; a unit that is not there is 0
--   p_provisional  this is only what is known of them
CREATE OR REPLACE FUNCTION settle_usage(p_records jsonb, p_provisional boolean DEFAULT false) RETURNS void
LANGUAGE plpgsql SET enable_seqscan = off SET jit = off AS $$
DECLARE
  -- Hours and days have all minutes before v_from, and get those before v_until.
  v_from timestamptz;
  v_until timestamptz;
  v_days_since timestamptz;
BEGIN
  PERFORM settle_records(
    ids, allowances, accounts, seats, teams, keys, models, capabilities, price_versions, ARRAY(SELECT unnest(units)),
    parts, usage_sources, billing_reasons, held, costs, attempts, ended_at, client_statuses, client_error_codes,
    p_provisional
  )
  FROM (
    SELECT array_agg("requestId") AS ids, array_agg("allowanceId") AS allowances, array_agg("accountId") AS accounts,
      array_agg("seatId") AS seats, array_agg("teamId") AS teams, array_agg("keyId") AS keys,
      array_agg("modelId") AS models, array_agg(capability) AS capabilities,
      array_agg("priceVersion") AS price_versions, array_agg(ARRAY[
        coalesce("inputTokens", 0), coalesce("cachedInputTokens", 0), coalesce("outputTokens", 0),
        coalesce(images, 0), coalesce(characters, 0), coalesce("audioMs", 0), coalesce("searchUnits", 0),
        coalesce("cacheWriteTokens", 0), coalesce("cacheWrite1hTokens", 0), coalesce("audioInputTokens", 0),
        coalesce("imageInputTokens", 0), coalesce("reasoningTokens", 0), coalesce("audioOutputTokens", 0),
        coalesce("imageOutputTokens", 0), coalesce("webSearchRequests", 0), coalesce("toolCalls", 0)
      ]) AS units, array_agg(parts) AS parts, array_agg("usageSource") AS usage_sources,
      array_agg("billingReason") AS billing_reasons, array_agg(held) AS held, array_agg(cost) AS costs,
      array_agg(attempts) AS attempts, array_agg("endedAt") AS ended_at, array_agg("clientStatus") AS client_statuses,
      array_agg("clientErrorCode") AS client_error_codes
    FROM (
      -- A request that is there twice is one request.
      SELECT DISTINCT ON ("requestId" COLLATE "C") r.*
      FROM ROWS FROM (
        jsonb_to_recordset(p_records) AS (
          "requestId" text, "accountId" text, "seatId" text, "teamId" text, "keyId" text, "modelId" text,
          capability text, "priceVersion" int, "inputTokens" bigint, "cachedInputTokens" bigint,
          "outputTokens" bigint, images bigint, characters bigint, "audioMs" bigint, "searchUnits" bigint,
          "cacheWriteTokens" bigint, "cacheWrite1hTokens" bigint, "audioInputTokens" bigint,
          "imageInputTokens" bigint, "reasoningTokens" bigint, "audioOutputTokens" bigint,
          "imageOutputTokens" bigint, "webSearchRequests" bigint, "toolCalls" bigint, parts jsonb,
          "usageSource" text, "billingReason" text, held bigint, cost bigint, attempts jsonb,
          "endedAt" timestamptz, "clientStatus" int, "clientErrorCode" text, "allowanceId" text
        )
      ) WITH ORDINALITY AS r
      ORDER BY "requestId" COLLATE "C", ordinality
    ) AS record
  ) AS given
  WHERE ids IS NOT NULL;
  IF p_provisional OR p_records = '[]' THEN RETURN; END IF;
  IF (
    SELECT cardinality(request_ids) FROM pending_settlements
    WHERE number = currval('pending_settlements_number_seq')
  ) = (SELECT count(DISTINCT record->>'requestId') FROM jsonb_array_elements(p_records) AS record) THEN
    -- That release reads hours and days only, and adds no minutes to them. So they get ten at a time here, and then,
    -- for two days, every minute at once.
    SELECT until, days_since INTO v_from, v_days_since FROM rollup_watermark
    WHERE until < now() + interval '1 hour' FOR UPDATE SKIP LOCKED;
    IF v_from IS NOT NULL THEN
      SELECT min(bucket) + interval '10 minutes' INTO v_until FROM usage_rollups WHERE width = 60 AND bucket >= v_from;
      IF v_until IS NULL OR v_until > now() THEN
        v_until := date_bin('1 day', now(), 'epoch') + interval '48 hours';
      END IF;
      PERFORM add_sums('{}', NULL, v_from, v_until, v_days_since);
      UPDATE rollup_watermark SET until = v_until;
    END IF;
    PERFORM roll_up_settlements(100);
  END IF;
END
$$;
