-- Adds the sums of the next p_minutes minutes to those of their hours and days, when the last of them is three minutes
-- ago: by then nearly all that ended in it is settled and summed up. When there is nothing to add, it takes one more
-- day over into usage_days, from before there was this table. One at a time does so, and nobody else sums up meanwhile.
-- @returns whether it did anything; false: there is nothing to do for now
CREATE OR REPLACE FUNCTION widen_rollups(p_minutes int) RETURNS boolean
LANGUAGE plpgsql SET enable_seqscan = off SET jit = off AS $$
DECLARE
  v_from timestamptz;
  v_until timestamptz;
  v_days_since timestamptz;
  v_day timestamptz;
BEGIN
  IF NOT pg_try_advisory_xact_lock(hashtext('roll_up_settlements')) THEN RETURN false; END IF;
  SELECT until, days_since INTO STRICT v_from, v_days_since FROM rollup_watermark FOR UPDATE;
  -- A gateway that was idle or stopped leaves many empty minutes.
  SELECT min(bucket) + make_interval(mins => p_minutes) INTO v_until
  FROM usage_rollups WHERE width = 60 AND bucket >= v_from;
  IF v_until <= now() - interval '3 minutes' THEN
    PERFORM add_sums('{}', NULL, v_from, v_until, v_days_since);
    UPDATE rollup_watermark SET until = v_until;
    RETURN true;
  END IF;
  IF v_days_since = 'epoch' THEN RETURN false; END IF;
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
