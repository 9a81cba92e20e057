-- Adds usage records to the daily sums of their tags, end user and session, and subtracts replaced ones.
-- Keeps at most 1,000 values of a label apart per account and day, the first ones; the rest has the value ''.
-- One caller at a time, so that a value is always summed in the same place.
--   p_request_ids  records to add
--   p_replaced     replaced records, as the sums have them; null: none
--
-- Plans as in add_sums. Joins of these queries would compare all with all, because Postgres expects few rows.
CREATE OR REPLACE FUNCTION add_label_sums(p_request_ids text[], p_replaced usage_records[]) RETURNS void
LANGUAGE plpgsql SET enable_seqscan = off SET jit = off SET work_mem = '64MB' AS $$
DECLARE
  v_most int := 1000;
  -- First and last of the records to add.
  v_first_arrival text COLLATE "C";
  v_last_arrival text COLLATE "C";
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('add_label_sums'));
  SELECT min(arrival), max(arrival) INTO v_first_arrival, v_last_arrival
  FROM (SELECT arrival_of(id) COLLATE "C" FROM unnest(p_request_ids) AS id) AS r (arrival);
  WITH changes AS (
    SELECT 1 AS sign, r.* FROM usage_records r
    WHERE request_id = ANY(p_request_ids)
      AND (arrival = '' OR arrival BETWEEN v_first_arrival AND v_last_arrival)
    UNION ALL
    SELECT -1, r.* FROM unnest(p_replaced) AS r
  ), added AS MATERIALIZED (
    SELECT account_id, label, date_bin('1 day', ended_at, 'epoch') AS bucket, value, coalesce(seat_id, '') AS seat_id,
      model_id, min(capability) AS capability,
      sum(sign) AS requests, sum(sign * input_tokens)::bigint AS input_tokens,
      sum(sign * cached_input_tokens)::bigint AS cached_input_tokens,
      sum(sign * output_tokens)::bigint AS output_tokens, sum(sign * images)::bigint AS images,
      sum(sign * characters)::bigint AS characters, sum(sign * audio_ms)::bigint AS audio_ms,
      sum(sign * search_units)::bigint AS search_units,
      sum(sign * cache_write_tokens)::bigint AS cache_write_tokens,
      sum(sign * cache_write_1h_tokens)::bigint AS cache_write_1h_tokens,
      sum(sign * audio_input_tokens)::bigint AS audio_input_tokens,
      sum(sign * image_input_tokens)::bigint AS image_input_tokens,
      sum(sign * reasoning_tokens)::bigint AS reasoning_tokens,
      sum(sign * audio_output_tokens)::bigint AS audio_output_tokens,
      sum(sign * image_output_tokens)::bigint AS image_output_tokens,
      sum(sign * web_search_requests)::bigint AS web_search_requests,
      sum(sign * tool_calls)::bigint AS tool_calls, sum(sign * charged)::bigint AS charged,
      sum(sign * (coalesce(provider_cost, cost) + coalesce(attempts_cost, 0)))::bigint AS provider_cost
    FROM changes CROSS JOIN LATERAL (
      SELECT 'tag:' || tag, text FROM jsonb_each_text(tags) AS given (tag, text) WHERE text <> ''
      UNION ALL SELECT 'end_user', end_user WHERE end_user IS NOT NULL
      UNION ALL SELECT 'session', session WHERE session IS NOT NULL
    ) AS labels (label, value)
    GROUP BY 1, 2, 3, 4, 5, 6
  ), known AS (
    SELECT *, (
      SELECT true FROM usage_label_days kept
      WHERE kept.account_id = added.account_id AND kept.label = added.label AND kept.bucket = added.bucket
        AND kept.value = added.value
      LIMIT 1
    ) IS TRUE AS is_known
    FROM added
  ), placed AS (
    SELECT *, dense_rank() OVER (PARTITION BY account_id, label, bucket, is_known ORDER BY value) AS place
    FROM known
  ), counted AS (
    SELECT *, CASE WHEN place = 1 AND NOT is_known THEN (
      SELECT CASE
        WHEN EXISTS (
          SELECT FROM usage_label_days rest
          WHERE rest.account_id = placed.account_id AND rest.label = placed.label AND rest.bucket = placed.bucket
            AND rest.value = ''
        ) THEN v_most
        ELSE (
          SELECT count(DISTINCT value) FROM usage_label_days kept
          WHERE kept.account_id = placed.account_id AND kept.label = placed.label AND kept.bucket = placed.bucket
        )
      END
    ) END AS kept
    FROM placed
  ), summed AS (
    SELECT *, CASE
      WHEN is_known OR max(kept) OVER (PARTITION BY account_id, label, bucket) + place <= v_most THEN value ELSE ''
    END AS summed_value
    FROM counted
  )
  INSERT INTO usage_label_days AS sum (
    account_id, label, bucket, value, seat_id, model_id, capability, requests, input_tokens,
    cached_input_tokens, output_tokens, images, characters, audio_ms, search_units, cache_write_tokens,
    cache_write_1h_tokens, audio_input_tokens, image_input_tokens, reasoning_tokens, audio_output_tokens,
    image_output_tokens, web_search_requests, tool_calls, charged, provider_cost
  )
  SELECT account_id, label, bucket, summed_value, seat_id, model_id,
    min(capability),
    sum(requests), sum(input_tokens), sum(cached_input_tokens), sum(output_tokens), sum(images),
    sum(characters), sum(audio_ms), sum(search_units), sum(cache_write_tokens), sum(cache_write_1h_tokens),
    sum(audio_input_tokens), sum(image_input_tokens), sum(reasoning_tokens), sum(audio_output_tokens),
    sum(image_output_tokens), sum(web_search_requests), sum(tool_calls), sum(charged),
    sum(provider_cost)
  FROM summed
  GROUP BY 1, 2, 3, 4, 5, 6
  ORDER BY 1, 2, 3, 4, 5, 6
  ON CONFLICT (account_id, label, bucket, value, seat_id, model_id) DO UPDATE SET
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
