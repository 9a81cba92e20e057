-- Ids of transactions begin again in a restored dump, but events must keep their order.
ALTER TABLE "installation" ADD COLUMN "transaction_offset" BIGINT NOT NULL DEFAULT 0;

-- Returns the id of the current transaction, as events and deliveries have it.
CREATE OR REPLACE FUNCTION event_transaction() RETURNS bigint
LANGUAGE sql AS $$
  SELECT pg_current_xact_id()::text::bigint + transaction_offset FROM installation
$$;

-- Stores events and one delivery for each receiver, in the transaction of the change that they report. Stores
-- nothing of an event without a receiver. Waits for no lock.
--   p_events  objects with id, type, account_id (null: the installation), data, and mail_to: addresses that
--             get it by mail (null: none)
-- @returns deliveries
CREATE OR REPLACE FUNCTION emit_events(p_events jsonb) RETURNS bigint
LANGUAGE sql AS $$
  WITH event AS (
    SELECT e.* FROM ROWS FROM (
      jsonb_to_recordset(p_events) AS (id text, type text, account_id text, data jsonb, mail_to text[])
    ) WITH ORDINALITY AS e (id, type, account_id, data, mail_to, number)
  ), receiver AS (
    SELECT e.id, w.id AS target, w.disabled_at IS NULL AS is_enabled
    FROM event e JOIN webhook_endpoints w
      ON (w.account_id IS NULL OR w.account_id = e.account_id) AND e.type = ANY(w.events)
    UNION
    SELECT e.id, 'mailto:' || address, true FROM event e, unnest(e.mail_to) AS address
  ), stored AS (
    INSERT INTO events (id, transaction_id, type, account_id, data)
    SELECT id, event_transaction(), type, account_id, data FROM event
    WHERE id IN (SELECT id FROM receiver) ORDER BY number
    RETURNING id, transaction_id, position
  ), delivery AS (
    INSERT INTO webhook_deliveries (event_id, target, transaction_id, position, state, due_at)
    SELECT s.id, r.target, s.transaction_id, s.position,
      CASE WHEN r.is_enabled THEN 'pending' ELSE 'held' END, CASE WHEN r.is_enabled THEN now() END
    FROM stored s JOIN receiver r USING (id)
    RETURNING due_at
  )
  SELECT coalesce(max(deliveries), 0) FROM (
    SELECT count(*) AS deliveries, CASE WHEN count(due_at) > 0 THEN pg_notify('gateway_events', '')::text END
    FROM delivery
  ) AS counted
$$;

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
    price_floor = greatest(price_floor, (SELECT coalesce(max(version), 0) FROM model_prices)) + 10000
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
