-- Adds usage records to the sums of their minute, and subtracts replaced ones. Adds them to hours and days,
-- too, if their minute is before p_until; later minutes are added in bulk by a later call. Adds them to the
-- sums by model and provider of all accounts (model_usage) at once. Locks the sums last, in order of key and
-- once per transaction, so this is one statement.
--   p_request_ids  records to add
--   p_replaced     replaced records, as the sums have them; null: none
--   p_from         minutes from here until p_until are added to their hours and days, which lack them
--   p_until        hours and days then contain all minutes before this
--
-- A connection caches plans from its first calls, when tables may have been small. A sequential scan of
-- usage_records in such a plan would cost ever more, so these scans are off. Up to Postgres 17, any scan that
-- remains then looks so costly that Postgres compiles it, which takes longer than running it: JIT is off.
CREATE OR REPLACE FUNCTION add_sums(
  p_request_ids text[], p_replaced usage_records[], p_from timestamptz, p_until timestamptz
) RETURNS void
LANGUAGE plpgsql SET enable_seqscan = off SET jit = off SET work_mem = '64MB' AS $$
DECLARE
  -- First and last of the records to add.
  v_first_arrival text COLLATE "C";
  v_last_arrival text COLLATE "C";
BEGIN
  SELECT min(arrival), max(arrival) INTO v_first_arrival, v_last_arrival
  FROM (SELECT arrival_of(id) COLLATE "C" FROM unnest(p_request_ids) AS id) AS r (arrival);
  -- Many records make few minutes, so hours and days are summed from minutes.
  WITH minutes AS MATERIALIZED (
    SELECT account_id, coalesce(seat_id, '') AS seat_id, date_bin('1 minute', ended_at, 'epoch') AS minute, key_id,
      model_id, coalesce(attempts->-1->>'providerId', '') AS provider_id, min(capability) AS capability, count(*) AS requests,
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
      sum(coalesce(provider_cost, cost) + coalesce(attempts_cost, 0))::bigint AS provider_cost,
      true AS is_new
    FROM usage_records
    WHERE request_id = ANY(p_request_ids)
      AND (arrival = '' OR arrival BETWEEN v_first_arrival AND v_last_arrival)
    GROUP BY 1, 2, 3, 4, 5, 6
    UNION ALL
    SELECT account_id, coalesce(seat_id, ''), date_bin('1 minute', ended_at, 'epoch'), key_id, model_id,
      coalesce(attempts->-1->>'providerId', ''), capability,
      -1, -input_tokens, -cached_input_tokens, -output_tokens, -images, -characters, -audio_ms, -search_units,
      -cache_write_tokens, -cache_write_1h_tokens, -audio_input_tokens, -image_input_tokens, -reasoning_tokens,
      -audio_output_tokens, -image_output_tokens, -web_search_requests, -tool_calls, -charged,
      -(coalesce(provider_cost, cost) + coalesce(attempts_cost, 0)), true
    FROM unnest(p_replaced)
    UNION ALL
    SELECT account_id, seat_id, bucket, key_id, model_id, NULL, capability,
      requests, input_tokens, cached_input_tokens, output_tokens, images, characters, audio_ms, search_units,
      cache_write_tokens, cache_write_1h_tokens, audio_input_tokens, image_input_tokens, reasoning_tokens,
      audio_output_tokens, image_output_tokens, web_search_requests, tool_calls, charged,
      coalesce(provider_cost, charged), false
    FROM usage_rollups WHERE width = 60 AND bucket >= p_from AND bucket < p_until
  ), days AS (
    INSERT INTO usage_days AS sum (
      account_id, seat_id, bucket, model_id, capability, requests, input_tokens, cached_input_tokens, output_tokens,
      images, characters, audio_ms, search_units, cache_write_tokens, cache_write_1h_tokens, audio_input_tokens,
      image_input_tokens, reasoning_tokens, audio_output_tokens, image_output_tokens, web_search_requests, tool_calls,
      charged, provider_cost
    )
    SELECT account_id, seat_id, date_bin('1 day', minute, 'epoch'), model_id, min(capability),
      sum(requests), sum(input_tokens), sum(cached_input_tokens), sum(output_tokens), sum(images), sum(characters),
      sum(audio_ms), sum(search_units), sum(cache_write_tokens), sum(cache_write_1h_tokens), sum(audio_input_tokens),
      sum(image_input_tokens), sum(reasoning_tokens), sum(audio_output_tokens), sum(image_output_tokens),
      sum(web_search_requests), sum(tool_calls), sum(charged), sum(provider_cost)
    FROM minutes WHERE minute < p_until
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
      charged = sum.charged + EXCLUDED.charged,
      provider_cost = coalesce(sum.provider_cost, sum.charged) + EXCLUDED.provider_cost
  ), models AS (
    INSERT INTO model_usage AS sum (width, bucket, model_id, provider_id, requests, charged, provider_cost)
    SELECT width, date_bin(make_interval(secs => width), minute, 'epoch'), model_id, provider_id,
      sum(requests), sum(charged), sum(provider_cost)
    FROM minutes, (VALUES (60), (3600), (86400)) AS widths (width) WHERE is_new
    GROUP BY 1, 2, 3, 4
    ORDER BY 1, 2, 3, 4
    ON CONFLICT (width, bucket, model_id, provider_id) DO UPDATE SET
      requests = sum.requests + EXCLUDED.requests,
      charged = sum.charged + EXCLUDED.charged,
      provider_cost = coalesce(sum.provider_cost, sum.charged) + EXCLUDED.provider_cost
  )
  INSERT INTO usage_rollups AS sum (
    account_id, seat_id, width, bucket, key_id, model_id, capability, requests, input_tokens, cached_input_tokens,
    output_tokens, images, characters, audio_ms, search_units, cache_write_tokens, cache_write_1h_tokens,
    audio_input_tokens, image_input_tokens, reasoning_tokens, audio_output_tokens, image_output_tokens,
    web_search_requests, tool_calls, charged, provider_cost
  )
  SELECT account_id, seat_id, width, date_bin(make_interval(secs => width), minute, 'epoch'), key_id, model_id,
    min(capability),
    sum(requests), sum(input_tokens), sum(cached_input_tokens), sum(output_tokens), sum(images), sum(characters),
    sum(audio_ms), sum(search_units), sum(cache_write_tokens), sum(cache_write_1h_tokens), sum(audio_input_tokens),
    sum(image_input_tokens), sum(reasoning_tokens), sum(audio_output_tokens), sum(image_output_tokens),
    sum(web_search_requests), sum(tool_calls), sum(charged), sum(provider_cost)
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
    charged = sum.charged + EXCLUDED.charged,
    provider_cost = coalesce(sum.provider_cost, sum.charged) + EXCLUDED.provider_cost;
END
$$;
