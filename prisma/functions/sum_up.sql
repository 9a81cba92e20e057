-- Adds usage records to the sums, and subtracts replaced ones. Excludes widen_rollups meanwhile, so that each
-- record reaches hours and days once.
--   p_request_ids  records to add
--   p_replaced     replaced records, as the sums have them; null: none
CREATE OR REPLACE FUNCTION sum_up(p_request_ids text[], p_replaced usage_records[]) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  v_until timestamptz;
BEGIN
  SELECT until INTO STRICT v_until FROM rollup_watermark FOR SHARE;
  PERFORM add_sums(p_request_ids, p_replaced, v_until, v_until);
END
$$;
