-- Begins a new epoch, unless somebody has done so. Counters jump beyond anything that may have been lost, so
-- that no revision or price version is used twice. In a restored dump, ids of transactions are small again:
-- new events still follow those of before.
--   p_expected  epoch known to the caller; null: any
-- @returns the epoch in force
CREATE OR REPLACE FUNCTION renew_epoch(p_expected text) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
  v_epoch text;
  v_last_transaction bigint;
BEGIN
  UPDATE installation SET epoch = gen_random_uuid()::text, identity = database_identity(), renewed_at = now(),
    price_floor = greatest(
      price_floor, (SELECT max(version) FROM model_prices), (SELECT max(number) FROM price_list_versions)
    ) + 10000
  WHERE p_expected IS NULL OR epoch = p_expected
  RETURNING epoch INTO v_epoch;
  IF v_epoch IS NULL THEN
    SELECT epoch INTO v_epoch FROM installation;
    RETURN v_epoch;
  END IF;
  SELECT transaction_id INTO v_last_transaction FROM events ORDER BY created_at DESC LIMIT 1;
  IF v_last_transaction >= event_transaction() THEN
    UPDATE installation SET transaction_offset = transaction_offset
      + v_last_transaction + 1000000000 - event_transaction();
  END IF;
  UPDATE revisions SET value = value + 1000000000;
  PERFORM pg_notify('gateway_catalog', ''), pg_notify('gateway_keys', ''), pg_notify('gateway_watchers', '');
  RETURN v_epoch;
END
$$;
