-- Moves unused money to another owner: to its pool named p_name with the same reset rule and expiry, or to a
-- new one. Takes nothing out of an unlimited pool, and gives it nothing.
--   p_to             id of a new pool
--   p_owner          receiver, as in `pools.owner`
--   p_max            maximum of the receiver's pools
--   moved            false: too little is left, or too many pools
--   too_many         the receiver has the maximum of pools
--   recalls          recalls because too little is left, as in grant_allowance
--   target           the receiving pool; never a removed one
--   remaining, held  of the source pool
CREATE OR REPLACE FUNCTION move_pool_money(
  p_from text, p_amount bigint, p_to text, p_name text, p_owner text, p_max int,
  OUT moved boolean, OUT too_many boolean, OUT recalls jsonb, OUT target text, OUT remaining bigint,
  OUT held bigint
)
LANGUAGE plpgsql AS $$
DECLARE
  v_source pools;
  v_gone boolean;
BEGIN
  SELECT min(other.id) INTO target FROM pools source, pools other
  WHERE source.id = p_from AND other.id <> p_from AND other.name = p_name AND other.removed_at IS NULL
    AND (other.resets_at IS NULL) = (source.resets_at IS NULL) AND other.owner = p_owner
    AND other.expires_at IS NOT DISTINCT FROM source.expires_at AND NOT other.unlimited;
  PERFORM lock_pools(array_remove(ARRAY[p_from, target], NULL));
  -- May have changed while waiting for its lock.
  SELECT p.removed_at IS NOT NULL OR p.unlimited INTO v_gone FROM pools p WHERE p.id = target;
  IF v_gone THEN target := NULL; END IF;
  SELECT * INTO v_source FROM pools p WHERE p.id = p_from;
  remaining := CASE WHEN v_source.unlimited THEN 0 ELSE v_source.remaining END;
  held := v_source.held;
  too_many := target IS NULL AND p_max <= (
    SELECT count(*) FROM pools p WHERE p.owner = p_owner AND p.removed_at IS NULL
  );
  moved := coalesce(p_amount > 0 AND p_amount <= remaining AND NOT too_many, false);
  IF moved THEN
    remaining := remaining - p_amount;
    UPDATE pools p SET included = p.included - p_amount, remaining = p.remaining - p_amount WHERE p.id = p_from;
    IF target IS NULL THEN
      target := p_to;
      INSERT INTO pools (id, name, owner, included, remaining, resets_at, expires_at)
      VALUES (p_to, p_name, p_owner, p_amount, p_amount, v_source.resets_at, v_source.expires_at);
    ELSE
      UPDATE pools p SET included = p.included + p_amount, remaining = p.remaining + p_amount WHERE p.id = target;
    END IF;
    INSERT INTO ledger_entries (pool_id, kind, amount)
    VALUES (p_from, 'moved', -p_amount), (target, 'moved', p_amount);
  ELSIF NOT too_many AND NOT v_source.unlimited AND p_amount <= remaining + held THEN
    SELECT jsonb_agg(r) INTO recalls FROM recall_allowances(ARRAY[p_from], '') r;
  END IF;
  recalls := coalesce(recalls, '[]');
END
$$;
