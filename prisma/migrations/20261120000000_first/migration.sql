-- CreateSchema
CREATE SCHEMA IF NOT EXISTS "public";

-- CreateTable
CREATE TABLE "accounts" (
    "id" TEXT NOT NULL,
    "email" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "free_per_minute" INTEGER,
    "paid_per_minute" INTEGER,
    "reads_per_minute" INTEGER,
    "concurrent_streams" INTEGER,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "accounts_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "teams" (
    "id" TEXT NOT NULL,
    "owner_account_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "requests_per_minute" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "teams_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "seats" (
    "id" TEXT NOT NULL,
    "team_id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "removed_at" TIMESTAMPTZ(3),

    CONSTRAINT "seats_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "api_keys" (
    "id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "seat_id" TEXT,
    "name" TEXT NOT NULL,
    "lookup_hash" TEXT NOT NULL,
    "display_prefix" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "revoked_at" TIMESTAMPTZ(3),

    CONSTRAINT "api_keys_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "revisions" (
    "name" TEXT NOT NULL,
    "value" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "revisions_pkey" PRIMARY KEY ("name")
);

-- CreateTable
CREATE TABLE "key_events" (
    "revision" BIGINT NOT NULL,
    "key_id" TEXT NOT NULL,
    "lookup_hash" TEXT NOT NULL,
    "revoked" BOOLEAN NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "key_events_pkey" PRIMARY KEY ("revision")
);

-- CreateTable
CREATE TABLE "key_watchers" (
    "instance_id" TEXT NOT NULL,
    "control_plane_id" TEXT NOT NULL,
    "acked_revision" BIGINT NOT NULL,
    "lease_until" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "key_watchers_pkey" PRIMARY KEY ("instance_id")
);

-- CreateTable
CREATE TABLE "providers" (
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "base_url" TEXT NOT NULL,
    "credential_env" TEXT,
    "headers" JSONB NOT NULL,
    "timeouts_ms" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "retired_at" TIMESTAMPTZ(3),

    CONSTRAINT "providers_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "models" (
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT NOT NULL,
    "capability" TEXT NOT NULL,
    "tier" TEXT NOT NULL,
    "context_length" INTEGER,
    "max_output_tokens" INTEGER,
    "input_modalities" TEXT[],
    "output_modalities" TEXT[],
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "deprecated_at" TIMESTAMPTZ(3),
    "retired_at" TIMESTAMPTZ(3),

    CONSTRAINT "models_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "model_upstreams" (
    "model_id" TEXT NOT NULL,
    "position" INTEGER NOT NULL,
    "provider_id" TEXT NOT NULL,
    "upstream_model" TEXT NOT NULL,
    "priority" INTEGER NOT NULL,
    "weight" INTEGER NOT NULL,

    CONSTRAINT "model_upstreams_pkey" PRIMARY KEY ("model_id","position")
);

-- CreateTable
CREATE TABLE "model_prices" (
    "model_id" TEXT NOT NULL,
    "version" INTEGER NOT NULL,
    "pricing" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "model_prices_pkey" PRIMARY KEY ("model_id","version")
);

-- CreateIndex
CREATE UNIQUE INDEX "accounts_email_key" ON "accounts"("email");

-- CreateIndex
CREATE INDEX "teams_owner_account_id_idx" ON "teams"("owner_account_id");

-- CreateIndex
CREATE INDEX "seats_team_id_idx" ON "seats"("team_id");

-- CreateIndex
CREATE INDEX "seats_account_id_idx" ON "seats"("account_id");

-- CreateIndex
CREATE UNIQUE INDEX "api_keys_lookup_hash_key" ON "api_keys"("lookup_hash");

-- CreateIndex
CREATE INDEX "api_keys_account_id_created_at_idx" ON "api_keys"("account_id", "created_at");

-- CreateIndex
CREATE INDEX "api_keys_seat_id_idx" ON "api_keys"("seat_id");

-- CreateIndex
CREATE INDEX "key_events_created_at_idx" ON "key_events"("created_at");

-- CreateIndex
CREATE INDEX "key_watchers_control_plane_id_idx" ON "key_watchers"("control_plane_id");

-- CreateIndex
CREATE INDEX "model_upstreams_provider_id_idx" ON "model_upstreams"("provider_id");

-- AddForeignKey
ALTER TABLE "teams" ADD CONSTRAINT "teams_owner_account_id_fkey" FOREIGN KEY ("owner_account_id") REFERENCES "accounts"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "seats" ADD CONSTRAINT "seats_team_id_fkey" FOREIGN KEY ("team_id") REFERENCES "teams"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "seats" ADD CONSTRAINT "seats_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_seat_id_fkey" FOREIGN KEY ("seat_id") REFERENCES "seats"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "model_upstreams" ADD CONSTRAINT "model_upstreams_model_id_fkey" FOREIGN KEY ("model_id") REFERENCES "models"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "model_upstreams" ADD CONSTRAINT "model_upstreams_provider_id_fkey" FOREIGN KEY ("provider_id") REFERENCES "providers"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "model_prices" ADD CONSTRAINT "model_prices_model_id_fkey" FOREIGN KEY ("model_id") REFERENCES "models"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- What Prisma's schema language cannot say.

ALTER TABLE "accounts"
  ADD CONSTRAINT "accounts_email_is_lower_case" CHECK ("email" = lower("email")),
  ADD CONSTRAINT "accounts_limits_are_not_negative" CHECK (
    "free_per_minute" >= 0 AND "paid_per_minute" >= 0 AND "reads_per_minute" >= 0 AND "concurrent_streams" >= 0
  );

ALTER TABLE "teams" ADD CONSTRAINT "teams_limit_is_not_negative" CHECK ("requests_per_minute" >= 0);

-- An account has at most one live seat in a team.
CREATE UNIQUE INDEX "seats_live_key" ON "seats" ("team_id", "account_id") WHERE "removed_at" IS NULL;

ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_lookup_hash_form" CHECK ("lookup_hash" ~ '^v2:[0-9a-f]{64}$');

ALTER TABLE "models"
  ADD CONSTRAINT "models_capability" CHECK (
    "capability" IN ('chat', 'embeddings', 'rerank', 'images', 'speech', 'transcription')
  ),
  ADD CONSTRAINT "models_tier" CHECK ("tier" IN ('free', 'paid'));

ALTER TABLE "model_upstreams" ADD CONSTRAINT "model_upstreams_order" CHECK ("priority" >= 1 AND "weight" >= 1);

INSERT INTO "revisions" ("name", "value") VALUES ('keys', 0), ('catalog', 0);
