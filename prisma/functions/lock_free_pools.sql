-- Locks those of the pools that nobody else has locked at this moment, and fills those whose month is over. It
-- waits for none of the others: a transaction that waits for no lock is part of no deadlock, however many locks
-- it holds.
-- @returns the ids of the locked ones
CREATE OR REPLACE FUNCTION lock_free_pools(p_ids text[]) RETURNS text[]
LANGUAGE plpgsql AS $$
DECLARE
  v_ids text[];
BEGIN
  SELECT coalesce(array_agg(id), '{}') INTO v_ids FROM (
    SELECT id FROM pools WHERE id = ANY(p_ids) ORDER BY id FOR UPDATE SKIP LOCKED
  ) AS free;
  PERFORM lock_pools(v_ids);
  RETURN v_ids;
END
$$;
