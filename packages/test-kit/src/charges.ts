/**
 * SQL that selects which pool has paid how much for each usage record: request_id, pool_id, amount, place.
 */
export const CHARGES = `(
  SELECT request_id, pool_id, charged AS amount, 0::bigint AS place FROM usage_records WHERE pool_id IS NOT NULL
  UNION ALL
  SELECT request_id, charge->>'poolId', (charge->>'amount')::bigint, place
  FROM usage_records, jsonb_array_elements(charges) WITH ORDINALITY AS given (charge, place)
)`;
