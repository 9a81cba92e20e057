-- Returns a payer's pools in charging order: by level, then those that reset or expire first, then unlimited
-- ones. Includes a removed pool while it holds money.
--   p_payer  levels in charging order, each as in `pools.owner`
CREATE OR REPLACE FUNCTION payer_pools(p_payer text[]) RETURNS SETOF pools
LANGUAGE sql STABLE AS $$
  SELECT * FROM pools
  WHERE owner = ANY(p_payer) AND (removed_at IS NULL OR held > 0)
  ORDER BY array_position(p_payer, owner), unlimited, least(resets_at, expires_at) NULLS LAST, created_at, id
$$;
