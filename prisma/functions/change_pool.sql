-- Changes what a pool includes, with a ledger entry of the difference, but never below what is used or held.
--   p_name         new name; null: unchanged
--   changed        false: too much is used or held, or the pool is removed
--   recalls        recalls whose money would allow the change, as in acquire_allowance
--   charged, held  of the pool
CREATE OR REPLACE FUNCTION change_pool(
  p_id text, p_included bigint, p_name text,
  OUT changed boolean, OUT recalls jsonb, OUT charged bigint, OUT held bigint
)
LANGUAGE plpgsql AS $$
DECLARE
  v_pool pools;
BEGIN
  PERFORM lock_pools(ARRAY[p_id]);
  SELECT * INTO v_pool FROM pools WHERE id = p_id;
  charged := coalesce(v_pool.charged, 0);
  held := coalesce(v_pool.held, 0);
  changed := coalesce(v_pool.removed_at IS NULL AND p_included >= charged + held, false);
  IF changed AND p_included <> v_pool.included THEN
    UPDATE pools p SET included = p_included, remaining = p_included - p.charged - p.held,
      name = coalesce(p_name, p.name)
    WHERE p.id = p_id;
    INSERT INTO ledger_entries (pool_id, kind, amount) VALUES (p_id, 'changed', p_included - v_pool.included);
  ELSIF NOT changed AND v_pool.removed_at IS NULL AND p_included >= charged THEN
    SELECT jsonb_agg(r) INTO recalls FROM recall_allowances(ARRAY[p_id], '') r;
  END IF;
  recalls := coalesce(recalls, '[]');
END
$$;
