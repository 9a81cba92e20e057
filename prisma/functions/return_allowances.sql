-- Takes back what many allowances do not use, in one statement, as return_allowance does of one. It waits for
-- nobody: an allowance that somebody else has locked, or of which somebody has locked a pool, is left out.
--   p_given  an array of objects with id, returned, recall, close and granted, the parameters of
--            return_allowance
-- @returns a row for each allowance that is not left out
CREATE OR REPLACE FUNCTION return_allowances(p_given jsonb)
RETURNS TABLE ("allowanceId" text, granted bigint, closed boolean)
LANGUAGE plpgsql SET enable_seqscan = off SET jit = off AS $$
DECLARE
  v_pools text[];
  v_ids text[];
BEGIN
  v_pools := lock_free_pools((
    SELECT array_agg(DISTINCT part.pool_id)
    FROM jsonb_to_recordset(p_given) AS given (id text) JOIN allowance_parts part ON part.allowance_id = given.id
  ));
  WITH given AS (
    SELECT * FROM jsonb_to_recordset(p_given) AS given (id text)
  ), free AS (
    SELECT a.id FROM allowances a WHERE a.id IN (SELECT given.id FROM given) FOR UPDATE SKIP LOCKED
  )
  SELECT array_agg(given.id) INTO v_ids FROM given
  WHERE NOT EXISTS (
    SELECT FROM allowance_parts part WHERE part.allowance_id = given.id AND part.pool_id <> ALL(v_pools)
  ) AND (
    given.id IN (SELECT free.id FROM free) OR NOT EXISTS (SELECT FROM allowances a WHERE a.id = given.id)
  );
  RETURN QUERY
    SELECT given.id, back.granted, back.closed
    FROM jsonb_to_recordset(p_given) AS given (
      id text, returned bigint, recall int, close boolean, granted bigint
    ), return_allowance(given.id, given.returned, given.recall, given.close, given.granted) AS back
    WHERE given.id = ANY(v_ids);
END
$$;
