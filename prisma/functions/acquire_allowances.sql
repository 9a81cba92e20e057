-- For the previous release: sets money aside for many payers without budgets (grant_allowances).
CREATE OR REPLACE FUNCTION acquire_allowances(
  p_instance_id text, p_ids text[], p_payers text[], p_needs bigint[], p_spares bigint[], p_returned bigint[]
)
RETURNS TABLE ("allowanceId" text, granted bigint, recall int)
LANGUAGE sql AS $$
  SELECT * FROM grant_allowances(
    p_instance_id, p_ids, p_payers, array_fill('{}'::text, ARRAY[cardinality(p_ids)]), p_needs, p_spares, p_returned
  )
$$;
