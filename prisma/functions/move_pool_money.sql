-- Moves unused money to another owner: to its pool named p_name with the same reset rule, or to a new one.
--   p_to             id of a new pool
--   p_owner          receiver, as in `pools.owner`
--   p_max            maximum of the receiver's pools
--   moved            false: too little is left, or too many pools
--   too_many         the receiver has the maximum of pools
--   recalls          recalls because too little is left, as in acquire_allowance
--   target           the receiving pool; never a removed one
--   remaining, held  of the source pool
CREATE OR REPLACE FUNCTION move_pool_money(
  p_from text, p_amount bigint, p_to text, p_name text, p_owner text, p_max int,
  OUT moved boolean, OUT too_many boolean, OUT recalls jsonb, OUT target text, OUT remaining bigint,
  OUT held bigint
)
LANGUAGE plpgsql AS $$
DECLARE
  v_resets_at timestamptz;
  v_gone boolean;
BEGIN
  SELECT min(other.id) INTO target FROM pools source, pools other
  WHERE source.id = p_from AND other.id <> p_from AND other.name = p_name AND other.removed_at IS NULL
    AND (other.resets_at IS NULL) = (source.resets_at IS NULL) AND other.owner = p_owner;
  PERFORM lock_pools(array_remove(ARRAY[p_from, target], NULL));
  -- May have been removed while waiting for its lock.
  SELECT p.removed_at IS NOT NULL INTO v_gone FROM pools p WHERE p.id = target;
  IF v_gone THEN target := NULL; END IF;
  SELECT p.remaining, p.held, p.resets_at INTO move_pool_money.remaining, move_pool_money.held, v_resets_at
  FROM pools p WHERE p.id = p_from;
  too_many := target IS NULL AND p_max <= (
    SELECT count(*) FROM pools p WHERE p.owner = p_owner AND p.removed_at IS NULL
  );
  moved := coalesce(p_amount > 0 AND p_amount <= remaining AND NOT too_many, false);
  IF moved THEN
    remaining := remaining - p_amount;
    UPDATE pools p SET included = p.included - p_amount, remaining = p.remaining - p_amount WHERE p.id = p_from;
    IF target IS NULL THEN
      target := p_to;
      INSERT INTO pools (id, name, owner, included, remaining, resets_at)
      VALUES (p_to, p_name, p_owner, p_amount, p_amount, v_resets_at);
    ELSE
      UPDATE pools p SET included = p.included + p_amount, remaining = p.remaining + p_amount WHERE p.id = target;
    END IF;
    INSERT INTO ledger_entries (pool_id, kind, amount)
    VALUES (p_from, 'moved', -p_amount), (target, 'moved', p_amount);
  ELSIF NOT too_many AND p_amount <= remaining + held THEN
    SELECT jsonb_agg(r) INTO recalls FROM recall_allowances(ARRAY[p_from], '') r;
  END IF;
  recalls := coalesce(recalls, '[]');
END
$$;
