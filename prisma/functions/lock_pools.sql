-- Locks pools, and refills those past their month. Held money stays held, and is charged to the new month.
-- What a pool gets makes up for as much uncollected money (grant_allowance).
-- Removes pools that have expired: an entry takes out what is left, and allowances are recalled. Running
-- requests can still use what is held for them.
CREATE OR REPLACE FUNCTION lock_pools(p_ids text[]) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  v_expired text[];
BEGIN
  PERFORM FROM pools WHERE id = ANY(p_ids) ORDER BY id FOR UPDATE;
  INSERT INTO ledger_entries (pool_id, kind, amount)
  SELECT id, 'reset', charged FROM pools
  WHERE id = ANY(p_ids) AND resets_at <= now() AND coalesce(resets_at < expires_at, true) AND charged > 0;
  UPDATE pools SET remaining = included - held, charged = 0, resets_at = next_month(),
    uncollected = greatest(uncollected - included, 0)
  WHERE id = ANY(p_ids) AND resets_at <= now() AND coalesce(resets_at < expires_at, true);
  SELECT array_agg(id) INTO v_expired FROM pools
  WHERE id = ANY(p_ids) AND expires_at <= now() AND removed_at IS NULL;
  IF v_expired IS NULL THEN RETURN; END IF;
  INSERT INTO ledger_entries (pool_id, kind, amount)
  SELECT id, 'expired', CASE WHEN unlimited THEN held + charged ELSE -remaining END FROM pools
  WHERE id = ANY(v_expired);
  UPDATE pools SET unlimited = false, included = held + charged, remaining = 0, resets_at = NULL,
    removed_at = now()
  WHERE id = ANY(v_expired);
  PERFORM recall_allowances(v_expired, '');
END
$$;
