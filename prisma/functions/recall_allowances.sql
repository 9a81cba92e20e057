-- Recalls unused money of other allowances on pools, as recall_sharers; the caller holds the pools' locks.
CREATE OR REPLACE FUNCTION recall_allowances(p_pool_ids text[], p_except text)
RETURNS TABLE ("allowanceId" text, recall int)
LANGUAGE plpgsql AS $$
BEGIN
  RETURN QUERY SELECT * FROM recall_sharers(p_pool_ids, '{}', p_except);
END
$$;
