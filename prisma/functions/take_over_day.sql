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
