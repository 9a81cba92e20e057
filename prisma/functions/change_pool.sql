-- Changes what a pool includes, with a ledger entry of the difference, but never below what is used or held.
--   p_included     null: unlimited
--   p_name         new name; null: unchanged
--   changed        false: too much is used or held, or the pool is removed
--   recalls        recalls whose money would allow the change, as in grant_allowance
--   charged, held  of the pool
CREATE OR REPLACE FUNCTION change_pool(
  p_id text, p_included bigint, p_name text,
  OUT changed boolean, OUT recalls jsonb, OUT charged bigint, OUT held bigint
)
LANGUAGE plpgsql AS $$
DECLARE
  v_pool pools;
  v_before bigint;
BEGIN
  PERFORM lock_pools(ARRAY[p_id]);
  SELECT * INTO v_pool FROM pools WHERE id = p_id;
  v_before := CASE WHEN NOT v_pool.unlimited THEN v_pool.included END;
  charged := coalesce(v_pool.charged, 0);
  held := coalesce(v_pool.held, 0);
  changed := v_pool.id IS NOT NULL AND v_pool.removed_at IS NULL
    AND coalesce(p_included >= charged + held, true);
  IF changed AND p_included IS DISTINCT FROM v_before THEN
    UPDATE pools p SET unlimited = p_included IS NULL, included = coalesce(p_included, 0),
      remaining = coalesce(p_included - p.charged - p.held, 0), name = coalesce(p_name, p.name)
    WHERE p.id = p_id;
    INSERT INTO ledger_entries (pool_id, kind, amount)
    VALUES (p_id, 'changed', coalesce(p_included, 0) - coalesce(v_before, 0));
  ELSIF NOT changed AND v_pool.removed_at IS NULL AND p_included >= charged THEN
    SELECT jsonb_agg(r) INTO recalls FROM recall_allowances(ARRAY[p_id], '') r;
  END IF;
  recalls := coalesce(recalls, '[]');
END
$$;
