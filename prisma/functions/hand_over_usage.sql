-- Stores and charges requests provisionally (settle_usage), so that other data planes can follow their
-- responses (store_followed).
--   p_followed  as in followed_responses; the others as in settle_usage
-- @throws lock_not_available when a pool added meanwhile is locked
CREATE OR REPLACE FUNCTION hand_over_usage(
  p_request_ids text[], p_allowances text[], p_payers text[], p_accounts text[], p_seats text[], p_teams text[],
  p_keys text[], p_models text[], p_capabilities text[], p_price_versions int[], p_units bigint[], p_parts jsonb[],
  p_usage_sources text[], p_billing_reasons text[], p_held bigint[], p_costs bigint[], p_attempts jsonb[],
  p_ended_at timestamptz[], p_client_statuses int[], p_client_error_codes text[], p_tags jsonb[], p_end_users text[],
  p_sessions text[], p_affinities text[], p_budgets text[], p_price_list_versions int[], p_provider_costs bigint[],
  p_attempts_costs bigint[], p_service_tiers text[], p_followed text[]
) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM lock_budgets(ARRAY(
    SELECT DISTINCT id FROM unnest(p_budgets) AS given (budgets), unnest(budgets::text[]) AS id
  ));
  PERFORM lock_pools((
    SELECT array_agg(DISTINCT p.id)
    FROM (
      SELECT DISTINCT payer FROM unnest(p_payers, p_costs) AS r (payer, cost) WHERE cost > 0
    ) AS paid, payer_pools(paid.payer::text[]) AS p
  ));
  PERFORM settle_usage(
    p_request_ids, p_allowances, p_payers, p_accounts, p_seats, p_teams, p_keys, p_models, p_capabilities,
    p_price_versions, p_units, p_parts, p_usage_sources, p_billing_reasons, p_held, p_costs, p_attempts, p_ended_at,
    p_client_statuses, p_client_error_codes, p_tags, p_end_users, p_sessions, p_affinities, p_budgets,
    p_price_list_versions, p_provider_costs, p_attempts_costs, p_service_tiers, true
  );
  PERFORM store_followed(p_request_ids, p_followed);
END
$$;
