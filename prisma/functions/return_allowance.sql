-- Takes back unused money of an allowance, after locking its budgets and the pools it holds money of.
-- Parameters, result and errors as take_back_allowance.
CREATE OR REPLACE FUNCTION return_allowance(
  p_id text, p_returned bigint, p_recall int, p_close boolean, p_granted bigint DEFAULT NULL,
  OUT granted bigint, OUT closed boolean
)
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM lock_budgets((SELECT a.budgets FROM allowances a WHERE a.id = p_id));
  PERFORM lock_pools((SELECT array_agg(part.pool_id) FROM allowance_parts part WHERE part.allowance_id = p_id));
  SELECT back.granted, back.closed INTO return_allowance.granted, return_allowance.closed
  FROM take_back_allowance(p_id, p_returned, p_recall, p_close, p_granted) AS back;
END
$$;
