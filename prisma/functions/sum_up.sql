-- Adds usage records to the sums, and takes out what these have of replaced ones. Nobody adds minutes to hours and days
-- meanwhile (widen_rollups), so that each record gets there once.
--   p_request_ids  of the records to add
--   p_replaced     records as the sums have them; null: none
CREATE OR REPLACE FUNCTION sum_up(p_request_ids text[], p_replaced usage_records[]) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  v_until timestamptz;
BEGIN
  SELECT until INTO STRICT v_until FROM rollup_watermark FOR SHARE;
  PERFORM add_sums(p_request_ids, p_replaced, v_until, v_until);
END
$$;
