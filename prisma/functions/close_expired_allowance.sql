-- Closes an allowance whose data plane is gone, and bills its streams by their checkpoints (settle_usage).
-- Leaves the responses that their providers still work on to other data planes (store_followed).
-- Locks everything first; when a pool added meanwhile is locked, the next sweep closes it.
-- @returns true when it was closed here
CREATE OR REPLACE FUNCTION close_expired_allowance(p_id text, p_grace interval) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
  v_closed boolean;
  v_unfinished text[];
  v_followed text[];
BEGIN
  PERFORM lock_budgets((SELECT a.budgets FROM allowances a WHERE a.id = p_id));
  PERFORM lock_pools((
    SELECT array_agg(p.id) FROM allowances a, payer_pools(a.payer) AS p WHERE a.id = p_id
  ));
  PERFORM FROM allowances a
  WHERE a.id = p_id AND a.closed_at IS NULL AND a.used_at < now() - p_grace AND NOT EXISTS (
    SELECT FROM key_watchers w WHERE w.instance_id = a.instance_id AND w.lease_until > now() - p_grace
  )
  FOR UPDATE;
  IF NOT FOUND THEN RETURN false; END IF;
  SELECT array_agg(request_id), array_agg(followed) INTO v_unfinished, v_followed
  FROM usage_checkpoints WHERE allowance_id = p_id AND followed IS NOT NULL;
  PERFORM settle_usage(
    request_ids, allowances, payers, accounts, seats, teams, keys, models, capabilities, price_versions, ARRAY(
      -- An older control plane stores fewer units.
      SELECT coalesce(units[place], 0) FROM usage_checkpoints, generate_series(1, 16) AS place
      WHERE allowance_id = p_id ORDER BY request_id COLLATE "C", place
    ), parts, usage_sources, billing_reasons, held, costs, attempts, ended_at, client_statuses, client_error_codes,
    tags, end_users, sessions, affinities, budgets, price_list_versions, provider_costs, attempts_costs, service_tiers, true
  )
  FROM (
    SELECT array_agg(request_id) AS request_ids, array_agg(allowance_id) AS allowances, array_agg(payer) AS payers,
      array_agg(account_id) AS accounts, array_agg(seat_id) AS seats, array_agg(team_id) AS teams,
      array_agg(key_id) AS keys, array_agg(model_id) AS models, array_agg(capability) AS capabilities,
      array_agg(price_version) AS price_versions, array_agg(parts) AS parts,
      array_agg(usage_source) AS usage_sources, array_agg(billing_reason) AS billing_reasons,
      array_agg(held) AS held, array_agg(cost) AS costs, array_agg(attempts) AS attempts,
      array_agg(ended_at) AS ended_at, array_agg(client_status) AS client_statuses,
      array_agg(client_error_code) AS client_error_codes, array_agg(tags) AS tags,
      array_agg(end_user) AS end_users, array_agg(session) AS sessions, array_agg(affinity) AS affinities,
      array_agg(budgets) AS budgets, array_agg(price_list_version) AS price_list_versions,
      array_agg(provider_cost) AS provider_costs, array_agg(attempts_cost) AS attempts_costs,
      array_agg(service_tier) AS service_tiers
    FROM (
      SELECT * FROM usage_checkpoints WHERE allowance_id = p_id ORDER BY request_id COLLATE "C"
    ) AS checkpoint
    HAVING count(*) > 0
  ) AS known;
  IF v_unfinished IS NOT NULL THEN PERFORM store_followed(v_unfinished, v_followed); END IF;
  SELECT closed INTO v_closed FROM take_back_allowance(p_id, 0, 0, true, NULL);
  RETURN v_closed;
EXCEPTION WHEN lock_not_available THEN
  RETURN false;
END
$$;
