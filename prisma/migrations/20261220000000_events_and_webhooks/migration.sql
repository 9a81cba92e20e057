-- Events, the webhooks that they are sent to, and their deliveries.
CREATE TABLE "webhook_endpoints" (
    "id" TEXT NOT NULL,
    "account_id" TEXT,
    "url" TEXT NOT NULL,
    "events" TEXT[],
    "format" TEXT NOT NULL DEFAULT 'standard',
    "description" TEXT NOT NULL DEFAULT '',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "disabled_at" TIMESTAMPTZ(3),
    "disabled_because" TEXT,
    "failing_since" TIMESTAMPTZ(3),
    "failure_told_at" TIMESTAMPTZ(3),

    CONSTRAINT "webhook_endpoints_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "webhook_secrets" (
    "name" TEXT NOT NULL,
    "pepper_fingerprint" TEXT NOT NULL,
    "sealed" BYTEA NOT NULL,
    "endpoint_id" TEXT NOT NULL,
    "set_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3),

    CONSTRAINT "webhook_secrets_pkey" PRIMARY KEY ("name","pepper_fingerprint")
);

CREATE TABLE "events" (
    "id" TEXT NOT NULL,
    "transaction_id" BIGINT NOT NULL,
    "position" BIGSERIAL NOT NULL,
    "type" TEXT NOT NULL,
    "account_id" TEXT,
    "data" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "events_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "webhook_deliveries" (
    "event_id" TEXT NOT NULL,
    "target" TEXT NOT NULL,
    "transaction_id" BIGINT NOT NULL,
    "position" BIGINT NOT NULL,
    "state" TEXT NOT NULL,
    "due_at" TIMESTAMPTZ(3),
    "tries" INTEGER NOT NULL DEFAULT 0,
    "attempts" JSONB NOT NULL DEFAULT '[]',

    CONSTRAINT "webhook_deliveries_pkey" PRIMARY KEY ("event_id","target")
);

CREATE INDEX "webhook_endpoints_account_id_idx" ON "webhook_endpoints"("account_id");
CREATE INDEX "webhook_endpoints_created_at_id_idx" ON "webhook_endpoints"("created_at", "id");
CREATE INDEX "webhook_secrets_endpoint_id_idx" ON "webhook_secrets"("endpoint_id");
CREATE INDEX "events_created_at_idx" ON "events"("created_at");
CREATE INDEX "events_account_id_type_idx" ON "events"("account_id", "type");
-- Finds the events of requests that name an end user, to delete its id.
CREATE INDEX "events_account_id_end_user_idx" ON "events"("account_id", ("data"->>'end_user')) WHERE "data"->>'end_user' IS NOT NULL;
CREATE INDEX "webhook_deliveries_target_transaction_id_position_idx"
    ON "webhook_deliveries"("target", "transaction_id", "position");
-- Deliveries that wait, by receiver: one with many must not hide the others.
CREATE INDEX "webhook_deliveries_target_due_at_idx"
    ON "webhook_deliveries"("target", "due_at") WHERE "due_at" IS NOT NULL;

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
    SELECT id, pg_current_xact_id()::text::bigint, type, account_id, data FROM event
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
