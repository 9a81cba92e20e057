-- Removes a pool: takes out unused money with a ledger entry. Used money stays, and held money until its
-- requests end. Repeated calls return the same.
--   taken    taken out at the removal; 0 for an unlimited pool
--   recalls  recalls so that unused money returns now, as in grant_allowance
CREATE OR REPLACE FUNCTION remove_pool(p_id text, OUT taken bigint, OUT recalls jsonb)
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM lock_pools(ARRAY[p_id]);
  SELECT CASE WHEN p.unlimited THEN 0 ELSE p.remaining END INTO taken FROM pools p
  WHERE p.id = p_id AND p.removed_at IS NULL;
  IF taken IS NOT NULL THEN
    -- The entries of an unlimited pool did not count what it includes.
    INSERT INTO ledger_entries (pool_id, kind, amount)
    SELECT p_id, 'removed', CASE WHEN p.unlimited THEN p.held + p.charged ELSE -taken END FROM pools p
    WHERE p.id = p_id;
    UPDATE pools p SET unlimited = false, included = p.held + p.charged, remaining = 0, resets_at = NULL,
      removed_at = now()
    WHERE p.id = p_id;
  END IF;
  SELECT greatest(coalesce(taken, -amount), 0) INTO taken FROM (SELECT 1) AS one LEFT JOIN (
    SELECT amount FROM ledger_entries WHERE pool_id = p_id AND kind = 'removed' ORDER BY id LIMIT 1
  ) AS entry ON true;
  SELECT jsonb_agg(r) INTO recalls FROM recall_allowances(ARRAY[p_id], '') r;
  recalls := coalesce(recalls, '[]');
END
$$;
