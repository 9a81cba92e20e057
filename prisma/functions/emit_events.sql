-- Stores events and one delivery for each receiver, in the transaction of the change that they report. Stores
-- nothing of an event without a receiver. Waits for no lock.
--   p_events  objects with id, type, account_id (null: the installation), data, operator_data (as in events),
--             and mail_to: addresses that get it by mail (null: none)
-- @returns deliveries
CREATE OR REPLACE FUNCTION emit_events(p_events jsonb) RETURNS bigint
LANGUAGE sql AS $$
  WITH event AS (
    SELECT e.* FROM ROWS FROM (
      jsonb_to_recordset(p_events) AS (id text, type text, account_id text, data jsonb, operator_data jsonb, mail_to text[])
    ) WITH ORDINALITY AS e (id, type, account_id, data, operator_data, mail_to, number)
  ), receiver AS (
    SELECT e.id, w.id AS target, w.disabled_at IS NULL AS is_enabled
    FROM event e JOIN webhook_endpoints w
      ON (w.account_id IS NULL OR w.account_id = e.account_id) AND e.type = ANY(w.events)
    UNION
    SELECT e.id, 'mailto:' || address, true FROM event e, unnest(e.mail_to) AS address
  ), stored AS (
    INSERT INTO events (id, transaction_id, type, account_id, data, operator_data)
    SELECT id, event_transaction(), type, account_id, data, operator_data FROM event
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
