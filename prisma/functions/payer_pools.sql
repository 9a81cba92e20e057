-- The pools of a payer in charging order: those of its first level, then those of the next one; within a level
-- the soonest to be reset first. Contains a removed pool only while something of it is set aside, until that is
-- charged or given back.
--   p_payer  levels in charging order, each as `pools.owner` has it
CREATE OR REPLACE FUNCTION payer_pools(p_payer text[]) RETURNS SETOF pools
LANGUAGE sql STABLE AS $$
  SELECT * FROM pools
  WHERE owner = ANY(p_payer) AND (removed_at IS NULL OR held > 0)
  ORDER BY array_position(p_payer, owner), resets_at NULLS LAST, created_at, id
$$;
