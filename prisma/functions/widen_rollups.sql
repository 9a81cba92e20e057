-- Adds the next p_minutes minutes to their hours and days, once they ended three minutes ago, when nearly all
-- requests are settled and summed. One caller at a time, and not during sum_up.
-- @returns false when too few minutes are due, or another transaction is in the way
CREATE OR REPLACE FUNCTION widen_rollups(p_minutes int) RETURNS boolean
LANGUAGE plpgsql SET enable_seqscan = off SET jit = off AS $$
DECLARE
  v_from timestamptz;
  v_until timestamptz;
BEGIN
  IF NOT pg_try_advisory_xact_lock(hashtext('roll_up_settlements')) THEN RETURN false; END IF;
  SELECT until INTO v_from FROM rollup_watermark FOR UPDATE SKIP LOCKED;
  -- An idle or stopped gateway leaves many empty minutes.
  SELECT min(bucket) + make_interval(mins => p_minutes) INTO v_until
  FROM usage_rollups WHERE width = 60 AND bucket >= v_from;
  IF v_until IS NULL OR v_until > now() - interval '3 minutes' THEN RETURN false; END IF;
  PERFORM add_sums('{}', NULL, v_from, v_until);
  UPDATE rollup_watermark SET until = v_until;
  RETURN true;
END
$$;
