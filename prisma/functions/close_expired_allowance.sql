-- Closes an allowance whose data plane is gone, and bills its streams as far as they have reported. It locks all
-- that it needs before it begins; when a pool that was added meanwhile is in use, the next sweep closes it.
-- @returns whether it was closed here
CREATE OR REPLACE FUNCTION close_expired_allowance(p_id text, p_grace interval) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
  v_closed boolean;
BEGIN
  PERFORM lock_pools((
    SELECT array_agg(p.id) FROM allowances a, payer_pools(a.account_id, a.seat_id, a.team_id) AS p WHERE a.id = p_id
  ));
  PERFORM FROM allowances a
  WHERE a.id = p_id AND a.closed_at IS NULL AND a.used_at < now() - p_grace AND NOT EXISTS (
    SELECT FROM key_watchers w WHERE w.instance_id = a.instance_id AND w.lease_until > now() - p_grace
  )
  FOR UPDATE;
  IF NOT FOUND THEN RETURN false; END IF;
  PERFORM settle_usage(coalesce(
    (SELECT jsonb_agg(record) FROM usage_checkpoints WHERE allowance_id = p_id), '[]'
  ), true);
  SELECT closed INTO v_closed FROM take_back_allowance(p_id, 0, 0, true, NULL);
  RETURN v_closed;
EXCEPTION WHEN lock_not_available THEN
  RETURN false;
END
$$;
