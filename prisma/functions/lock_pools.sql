-- Locks pools, and refills those past their month. Held money stays held, and is charged to the new month.
-- What a pool gets makes up for as much uncollected money (acquire_allowance).
CREATE OR REPLACE FUNCTION lock_pools(p_ids text[]) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM pools WHERE id = ANY(p_ids) ORDER BY id FOR UPDATE;
  INSERT INTO ledger_entries (pool_id, kind, amount)
  SELECT id, 'reset', charged FROM pools WHERE id = ANY(p_ids) AND resets_at <= now() AND charged > 0;
  UPDATE pools SET remaining = included - held, charged = 0, resets_at = next_month(),
    uncollected = greatest(uncollected - included, 0)
  WHERE id = ANY(p_ids) AND resets_at <= now();
END
$$;
