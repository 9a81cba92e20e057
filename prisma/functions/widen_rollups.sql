-- Adds the sums of the next p_minutes minutes to those of their hours and days, once these minutes ended three minutes
-- ago: by then nearly all of their requests are settled and summed up. One at a time does so, and not while somebody adds
-- requests to hours and days (sum_up).
-- @returns whether it did; false: for now there are not so many minutes, or it cannot be done at the moment
CREATE OR REPLACE FUNCTION widen_rollups(p_minutes int) RETURNS boolean
LANGUAGE plpgsql SET enable_seqscan = off SET jit = off AS $$
DECLARE
  v_from timestamptz;
  v_until timestamptz;
BEGIN
  IF NOT pg_try_advisory_xact_lock(hashtext('roll_up_settlements')) THEN RETURN false; END IF;
  SELECT until INTO v_from FROM rollup_watermark FOR UPDATE SKIP LOCKED;
  -- A gateway that was idle or stopped leaves many empty minutes.
  SELECT min(bucket) + make_interval(mins => p_minutes) INTO v_until
  FROM usage_rollups WHERE width = 60 AND bucket >= v_from;
  IF v_until IS NULL OR v_until > now() - interval '3 minutes' THEN RETURN false; END IF;
  PERFORM add_sums('{}', NULL, v_from, v_until);
  UPDATE rollup_watermark SET until = v_until;
  RETURN true;
END
$$;
