-- Audit log, keys of the management API, members and roles.
ALTER TABLE "accounts" ADD COLUMN "external_id" TEXT;

ALTER TABLE "teams" ADD COLUMN "external_id" TEXT;

ALTER TABLE "seats" ADD COLUMN "external_id" TEXT;

ALTER TABLE "api_keys"
    ADD COLUMN "external_id" TEXT,
    ADD COLUMN "member_id" TEXT,
    ADD COLUMN "stopped_by" TEXT;

CREATE TABLE "account_members" (
    "id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "email" TEXT NOT NULL,
    "name" TEXT NOT NULL DEFAULT '',
    "role" TEXT NOT NULL,
    "source" TEXT NOT NULL,
    "sign_in_id" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "token_hash" TEXT,
    "expires_at" TIMESTAMPTZ(3),
    "stopped_at" TIMESTAMPTZ(3),
    "stopped_by" TEXT,

    CONSTRAINT "account_members_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "installation_roles" (
    "email" TEXT NOT NULL,
    "role" TEXT NOT NULL,
    "source" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "installation_roles_pkey" PRIMARY KEY ("email","role","source")
);

CREATE TABLE "admin_keys" (
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "lookup_hash" TEXT NOT NULL,
    "previous_lookup_hash" TEXT,
    "display_prefix" TEXT NOT NULL,
    "scopes" TEXT[],
    "account_id" TEXT,
    "networks" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),
    "last_used_at" TIMESTAMPTZ(3),

    CONSTRAINT "admin_keys_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "idempotency_claims" (
    "admin_key_id" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "request" TEXT NOT NULL,
    "answer" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "idempotency_claims_pkey" PRIMARY KEY ("admin_key_id","key")
);

CREATE TABLE "scim_tokens" (
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "lookup_hash" TEXT NOT NULL,
    "previous_lookup_hash" TEXT,
    "display_prefix" TEXT NOT NULL,
    "account_id" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "revoked_at" TIMESTAMPTZ(3),
    "last_used_at" TIMESTAMPTZ(3),

    CONSTRAINT "scim_tokens_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "audit_events" (
    "id" TEXT NOT NULL,
    "chain" INTEGER NOT NULL,
    "position" BIGINT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "actor" JSONB NOT NULL,
    "way" TEXT NOT NULL,
    "action" TEXT NOT NULL,
    "object_type" TEXT NOT NULL,
    "object_id" TEXT NOT NULL,
    "object_name" TEXT NOT NULL,
    "account_id" TEXT,
    "before" JSONB,
    "after" JSONB,
    "request_id" TEXT,
    "outcome" TEXT NOT NULL,
    "hash" TEXT NOT NULL,

    CONSTRAINT "audit_events_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "audit_chains" (
    "chain" INTEGER NOT NULL,
    "position" BIGINT NOT NULL DEFAULT 0,
    "hash" TEXT NOT NULL DEFAULT '',
    "start_position" BIGINT NOT NULL DEFAULT 0,
    "start_hash" TEXT NOT NULL DEFAULT '',

    CONSTRAINT "audit_chains_pkey" PRIMARY KEY ("chain")
);

INSERT INTO "audit_chains" ("chain") SELECT generate_series(0, 15);

CREATE UNIQUE INDEX "account_members_token_hash_key" ON "account_members"("token_hash");
CREATE UNIQUE INDEX "account_members_account_id_email_key" ON "account_members"("account_id", "email");
CREATE INDEX "account_members_email_idx" ON "account_members"("email");
CREATE INDEX "account_members_sign_in_id_idx" ON "account_members"("sign_in_id");
CREATE UNIQUE INDEX "admin_keys_lookup_hash_key" ON "admin_keys"("lookup_hash");
CREATE UNIQUE INDEX "admin_keys_previous_lookup_hash_key" ON "admin_keys"("previous_lookup_hash");
CREATE INDEX "admin_keys_account_id_idx" ON "admin_keys"("account_id");
CREATE INDEX "admin_keys_created_at_id_idx" ON "admin_keys"("created_at", "id");
CREATE INDEX "idempotency_claims_created_at_idx" ON "idempotency_claims"("created_at");
CREATE UNIQUE INDEX "scim_tokens_lookup_hash_key" ON "scim_tokens"("lookup_hash");
CREATE UNIQUE INDEX "scim_tokens_previous_lookup_hash_key" ON "scim_tokens"("previous_lookup_hash");
CREATE UNIQUE INDEX "audit_events_chain_position_key" ON "audit_events"("chain", "position");
CREATE INDEX "audit_events_at_id_idx" ON "audit_events"("at", "id");
CREATE INDEX "audit_events_account_id_at_idx" ON "audit_events"("account_id", "at");
CREATE INDEX "audit_events_action_at_idx" ON "audit_events"("action", "at");

-- Appends an event to the chain of its account and returns its hash. Called last in the transaction of the
-- change, because the chain's head stays locked until the commit: changes of one account are ordered, others
-- rarely wait.
--   p_event      columns of audit_events, without chain, position and hash
--   p_canonical  canonical JSON of the event, which the hash covers
CREATE OR REPLACE FUNCTION append_audit_event(p_event jsonb, p_canonical text) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
  v_head audit_chains;
BEGIN
  UPDATE audit_chains SET position = position + 1,
    hash = encode(sha256(convert_to(hash || p_canonical, 'UTF8')), 'hex')
  WHERE chain = hashtext(coalesce(p_event->>'account_id', '')) & 15
  RETURNING * INTO STRICT v_head;
  INSERT INTO audit_events (id, chain, position, at, actor, way, action, object_type, object_id, object_name,
    account_id, before, after, request_id, outcome, hash)
  SELECT e.id, v_head.chain, v_head.position, e.at, e.actor, e.way, e.action, e.object_type, e.object_id,
    e.object_name, e.account_id, nullif(e.before, 'null'), nullif(e.after, 'null'), e.request_id, e.outcome,
    v_head.hash
  FROM jsonb_to_record(p_event) AS e (id text, at timestamptz, actor jsonb, way text, action text,
    object_type text, object_id text, object_name text, account_id text, before jsonb, after jsonb,
    request_id text, outcome text);
  RETURN v_head.hash;
END
$$;
