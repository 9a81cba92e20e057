-- The whole schema: tables, keys and indexes of prisma/schema.prisma, constraints that Prisma cannot express,
-- first rows, and the functions of prisma/functions/.

-- CreateTable
CREATE TABLE "accounts" (
    "id" TEXT NOT NULL,
    "email" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "free_per_minute" INTEGER,
    "paid_per_minute" INTEGER,
    "reads_per_minute" INTEGER,
    "concurrent_streams" INTEGER,
    "sign_in_id" TEXT,
    "email_verified_at" TIMESTAMPTZ(3),
    "signup_pool_due" BOOLEAN NOT NULL DEFAULT false,
    "suspended_at" TIMESTAMPTZ(3),
    "deleted_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "accounts_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "password_resets" (
    "account_id" TEXT NOT NULL,
    "token_hash" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "password_resets_pkey" PRIMARY KEY ("account_id")
);

-- CreateTable
CREATE TABLE "teams" (
    "id" TEXT NOT NULL,
    "owner_account_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "requests_per_minute" INTEGER NOT NULL,
    "deleted_at" TIMESTAMPTZ(3),
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
CREATE TABLE "seat_invitations" (
    "id" TEXT NOT NULL,
    "team_id" TEXT NOT NULL,
    "email" TEXT NOT NULL,
    "token_hash" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "seat_invitations_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "api_keys" (
    "id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "seat_id" TEXT,
    "name" TEXT NOT NULL,
    "lookup_hash" TEXT NOT NULL,
    "previous_lookup_hash" TEXT,
    "pepper_fingerprint" TEXT,
    "display_prefix" TEXT NOT NULL,
    "kind" TEXT NOT NULL DEFAULT 'issued',
    "expires_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "revoked_at" TIMESTAMPTZ(3),
    "suspended_at" TIMESTAMPTZ(3),
    "replaced_by" TEXT,

    CONSTRAINT "api_keys_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "installation" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "epoch" TEXT NOT NULL,
    "identity" TEXT,
    "price_floor" INTEGER NOT NULL DEFAULT 0,
    "needs_migration" TEXT,
    "renewed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "installation_pkey" PRIMARY KEY ("id")
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
    "previous_lookup_hash" TEXT,
    "revoked" BOOLEAN NOT NULL,
    "restored" BOOLEAN NOT NULL DEFAULT false,
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
CREATE TABLE "data_plane_credentials" (
    "instance_id" TEXT NOT NULL,
    "variable" TEXT NOT NULL,
    "is_set" BOOLEAN,

    CONSTRAINT "data_plane_credentials_pkey" PRIMARY KEY ("instance_id","variable")
);

-- CreateTable
CREATE TABLE "providers" (
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "base_url" TEXT NOT NULL,
    "credential_envs" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "headers" JSONB NOT NULL,
    "timeouts_ms" JSONB NOT NULL,
    "apis" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "region" TEXT,
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
    "tokens_per_media_part" INTEGER,
    "timeouts_ms" JSONB,
    "input_modalities" TEXT[],
    "output_modalities" TEXT[],
    "aliases" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "fallbacks" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "deprecated_at" TIMESTAMPTZ(3),
    "retired_at" TIMESTAMPTZ(3),

    CONSTRAINT "models_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "virtual_models" (
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT NOT NULL,
    "models" JSONB NOT NULL,
    "aliases" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "fallbacks" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "deprecated_at" TIMESTAMPTZ(3),
    "retired_at" TIMESTAMPTZ(3),

    CONSTRAINT "virtual_models_pkey" PRIMARY KEY ("id")
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

-- CreateTable
CREATE TABLE "model_minutes" (
    "model_id" TEXT NOT NULL,
    "provider_id" TEXT NOT NULL,
    "minute" TIMESTAMPTZ(3) NOT NULL,
    "attempts" INTEGER NOT NULL,
    "failed_attempts" INTEGER NOT NULL,
    "requests" INTEGER NOT NULL,
    "failed_requests" INTEGER NOT NULL,
    "gave_up" INTEGER NOT NULL DEFAULT 0,
    "latency_buckets" INTEGER[],
    "first_token_buckets" INTEGER[],

    CONSTRAINT "model_minutes_pkey" PRIMARY KEY ("model_id","provider_id","minute")
);

-- CreateTable
CREATE TABLE "model_last_minutes" (
    "model_id" TEXT NOT NULL,
    "provider_id" TEXT NOT NULL,
    "minute" TIMESTAMPTZ(3) NOT NULL,
    "attempts" INTEGER NOT NULL,
    "failed_attempts" INTEGER NOT NULL,
    "requests" INTEGER NOT NULL,
    "failed_requests" INTEGER NOT NULL,
    "gave_up" INTEGER NOT NULL,

    CONSTRAINT "model_last_minutes_pkey" PRIMARY KEY ("model_id","provider_id")
);

-- CreateTable
CREATE TABLE "settled_batches" (
    "id" TEXT NOT NULL,
    "settled_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "settled_batches_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "pools" (
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "owner" TEXT NOT NULL,
    "included" BIGINT NOT NULL,
    "remaining" BIGINT NOT NULL,
    "held" BIGINT NOT NULL DEFAULT 0,
    "charged" BIGINT NOT NULL DEFAULT 0,
    "resets_at" TIMESTAMPTZ(3),
    "removed_at" TIMESTAMPTZ(3),
    "recalled_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "pools_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "ledger_entries" (
    "id" BIGSERIAL NOT NULL,
    "pool_id" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "amount" BIGINT NOT NULL,
    "settlement" BIGINT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "ledger_entries_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "allowances" (
    "id" TEXT NOT NULL,
    "instance_id" TEXT NOT NULL,
    "payer" TEXT[],
    "granted" BIGINT NOT NULL DEFAULT 0,
    "returned" BIGINT NOT NULL DEFAULT 0,
    "recall" INTEGER NOT NULL DEFAULT 0,
    "answered" INTEGER NOT NULL DEFAULT 0,
    "exact" BOOLEAN NOT NULL DEFAULT true,
    "opened_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "used_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "closed_at" TIMESTAMPTZ(3),

    CONSTRAINT "allowances_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "allowance_parts" (
    "allowance_id" TEXT NOT NULL,
    "pool_id" TEXT NOT NULL,
    "held" BIGINT NOT NULL,

    CONSTRAINT "allowance_parts_pkey" PRIMARY KEY ("allowance_id","pool_id")
);

-- CreateTable
CREATE TABLE "usage_records" (
    "request_id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "seat_id" TEXT,
    "team_id" TEXT,
    "key_id" TEXT NOT NULL,
    "model_id" TEXT NOT NULL,
    "capability" TEXT NOT NULL,
    "price_version" INTEGER,
    "input_tokens" BIGINT NOT NULL,
    "cached_input_tokens" BIGINT NOT NULL,
    "output_tokens" BIGINT NOT NULL,
    "images" BIGINT NOT NULL,
    "characters" BIGINT NOT NULL,
    "audio_ms" BIGINT NOT NULL,
    "search_units" BIGINT NOT NULL,
    "cache_write_tokens" BIGINT NOT NULL DEFAULT 0,
    "cache_write_1h_tokens" BIGINT NOT NULL DEFAULT 0,
    "audio_input_tokens" BIGINT NOT NULL DEFAULT 0,
    "image_input_tokens" BIGINT NOT NULL DEFAULT 0,
    "reasoning_tokens" BIGINT NOT NULL DEFAULT 0,
    "audio_output_tokens" BIGINT NOT NULL DEFAULT 0,
    "image_output_tokens" BIGINT NOT NULL DEFAULT 0,
    "web_search_requests" BIGINT NOT NULL DEFAULT 0,
    "tool_calls" BIGINT NOT NULL DEFAULT 0,
    "parts" JSONB,
    "usage_source" TEXT,
    "billing_reason" TEXT NOT NULL,
    "held" BIGINT NOT NULL,
    "cost" BIGINT NOT NULL,
    "charged" BIGINT NOT NULL,
    "uncollected" BIGINT NOT NULL,
    "attempts" JSONB NOT NULL,
    "client_status" INTEGER,
    "client_error_code" TEXT,
    "ended_at" TIMESTAMPTZ(3) NOT NULL,
    "is_provisional" BOOLEAN NOT NULL DEFAULT false,
    "settled_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "settlement" BIGINT NOT NULL,
    "pool_id" TEXT,
    "charges" JSONB,
    "arrival" TEXT COLLATE "C" NOT NULL DEFAULT '',

    CONSTRAINT "usage_records_pkey" PRIMARY KEY ("request_id","arrival")
) PARTITION BY RANGE ("arrival");

-- CreateTable
CREATE TABLE "refused_requests" (
    "key_id" TEXT NOT NULL,
    "hour" TIMESTAMPTZ(3) NOT NULL,
    "error_code" TEXT NOT NULL,
    "model_id" TEXT NOT NULL,
    "capability" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "seat_id" TEXT,
    "status" INTEGER NOT NULL,
    "count" INTEGER NOT NULL,
    "first_at" TIMESTAMPTZ(3) NOT NULL,
    "last_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "refused_requests_pkey" PRIMARY KEY ("key_id","hour","error_code","model_id","capability")
);

-- CreateTable
CREATE TABLE "usage_checkpoints" (
    "request_id" TEXT NOT NULL,
    "allowance_id" TEXT NOT NULL,
    "payer" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "seat_id" TEXT,
    "team_id" TEXT,
    "key_id" TEXT NOT NULL,
    "model_id" TEXT NOT NULL,
    "capability" TEXT NOT NULL,
    "price_version" INTEGER,
    "units" BIGINT[],
    "parts" JSONB,
    "usage_source" TEXT,
    "billing_reason" TEXT NOT NULL,
    "held" BIGINT NOT NULL,
    "cost" BIGINT NOT NULL,
    "attempts" JSONB NOT NULL,
    "ended_at" TIMESTAMPTZ(3) NOT NULL,
    "client_status" INTEGER,
    "client_error_code" TEXT,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "usage_checkpoints_pkey" PRIMARY KEY ("request_id")
);

-- CreateTable
CREATE TABLE "pending_settlements" (
    "number" BIGSERIAL NOT NULL,
    "first_ended_at" TIMESTAMPTZ(3) NOT NULL,
    "last_ended_at" TIMESTAMPTZ(3) NOT NULL,
    "request_ids" TEXT[] DEFAULT ARRAY[]::TEXT[],

    CONSTRAINT "pending_settlements_pkey" PRIMARY KEY ("number")
);

-- CreateTable
CREATE TABLE "usage_rollups" (
    "account_id" TEXT NOT NULL,
    "seat_id" TEXT NOT NULL,
    "width" INTEGER NOT NULL,
    "bucket" TIMESTAMPTZ(3) NOT NULL,
    "key_id" TEXT NOT NULL,
    "model_id" TEXT NOT NULL,
    "capability" TEXT NOT NULL,
    "requests" BIGINT NOT NULL,
    "input_tokens" BIGINT NOT NULL,
    "cached_input_tokens" BIGINT NOT NULL,
    "output_tokens" BIGINT NOT NULL,
    "images" BIGINT NOT NULL,
    "characters" BIGINT NOT NULL,
    "audio_ms" BIGINT NOT NULL,
    "search_units" BIGINT NOT NULL,
    "cache_write_tokens" BIGINT NOT NULL DEFAULT 0,
    "cache_write_1h_tokens" BIGINT NOT NULL DEFAULT 0,
    "audio_input_tokens" BIGINT NOT NULL DEFAULT 0,
    "image_input_tokens" BIGINT NOT NULL DEFAULT 0,
    "reasoning_tokens" BIGINT NOT NULL DEFAULT 0,
    "audio_output_tokens" BIGINT NOT NULL DEFAULT 0,
    "image_output_tokens" BIGINT NOT NULL DEFAULT 0,
    "web_search_requests" BIGINT NOT NULL DEFAULT 0,
    "tool_calls" BIGINT NOT NULL DEFAULT 0,
    "charged" BIGINT NOT NULL,

    CONSTRAINT "usage_rollups_pkey" PRIMARY KEY ("account_id","seat_id","width","bucket","key_id","model_id")
);

-- CreateTable
CREATE TABLE "usage_days" (
    "account_id" TEXT NOT NULL,
    "seat_id" TEXT NOT NULL,
    "bucket" TIMESTAMPTZ(3) NOT NULL,
    "model_id" TEXT NOT NULL,
    "capability" TEXT NOT NULL,
    "requests" BIGINT NOT NULL,
    "input_tokens" BIGINT NOT NULL,
    "cached_input_tokens" BIGINT NOT NULL,
    "output_tokens" BIGINT NOT NULL,
    "images" BIGINT NOT NULL,
    "characters" BIGINT NOT NULL,
    "audio_ms" BIGINT NOT NULL,
    "search_units" BIGINT NOT NULL,
    "cache_write_tokens" BIGINT NOT NULL,
    "cache_write_1h_tokens" BIGINT NOT NULL,
    "audio_input_tokens" BIGINT NOT NULL,
    "image_input_tokens" BIGINT NOT NULL,
    "reasoning_tokens" BIGINT NOT NULL,
    "audio_output_tokens" BIGINT NOT NULL,
    "image_output_tokens" BIGINT NOT NULL,
    "web_search_requests" BIGINT NOT NULL,
    "tool_calls" BIGINT NOT NULL,
    "charged" BIGINT NOT NULL,

    CONSTRAINT "usage_days_pkey" PRIMARY KEY ("account_id","seat_id","bucket","model_id")
);

-- CreateTable
CREATE TABLE "rollup_watermark" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "until" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "rollup_watermark_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "provider_probes" (
    "provider_id" TEXT NOT NULL,
    "instance_id" TEXT NOT NULL,
    "outcome" TEXT NOT NULL,
    "failures" INTEGER NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "changed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "provider_probes_pkey" PRIMARY KEY ("provider_id","instance_id")
);

-- CreateTable
CREATE TABLE "waiting_calls" (
    "instance_id" TEXT NOT NULL,
    "model_id" TEXT NOT NULL,
    "provider_id" TEXT NOT NULL,
    "calls" INTEGER NOT NULL,
    "since" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "waiting_calls_pkey" PRIMARY KEY ("instance_id","model_id","provider_id")
);

-- CreateTable
CREATE TABLE "dashboard_users" (
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "email" TEXT NOT NULL,
    "email_verified" BOOLEAN NOT NULL DEFAULT false,
    "image" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "dashboard_users_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "dashboard_sessions" (
    "id" TEXT NOT NULL,
    "token" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "ip_address" TEXT,
    "user_agent" TEXT,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "dashboard_sessions_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "dashboard_credentials" (
    "id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "provider_id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "access_token" TEXT,
    "refresh_token" TEXT,
    "id_token" TEXT,
    "access_token_expires_at" TIMESTAMPTZ(3),
    "refresh_token_expires_at" TIMESTAMPTZ(3),
    "scope" TEXT,
    "password" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "dashboard_credentials_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "dashboard_verifications" (
    "id" TEXT NOT NULL,
    "identifier" TEXT NOT NULL,
    "value" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "dashboard_verifications_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "dashboard_rate_limits" (
    "id" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "count" INTEGER NOT NULL,
    "last_request" BIGINT NOT NULL,

    CONSTRAINT "dashboard_rate_limits_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "accounts_email_key" ON "accounts"("email");

-- CreateIndex
CREATE UNIQUE INDEX "accounts_sign_in_id_key" ON "accounts"("sign_in_id");

-- CreateIndex
CREATE INDEX "accounts_created_at_id_idx" ON "accounts"("created_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "password_resets_token_hash_key" ON "password_resets"("token_hash");

-- CreateIndex
CREATE INDEX "password_resets_expires_at_idx" ON "password_resets"("expires_at");

-- CreateIndex
CREATE INDEX "teams_owner_account_id_idx" ON "teams"("owner_account_id");

-- CreateIndex
CREATE INDEX "seats_team_id_idx" ON "seats"("team_id");

-- CreateIndex
CREATE INDEX "seats_account_id_idx" ON "seats"("account_id");

-- CreateIndex
CREATE UNIQUE INDEX "seat_invitations_token_hash_key" ON "seat_invitations"("token_hash");

-- CreateIndex
CREATE INDEX "seat_invitations_email_idx" ON "seat_invitations"("email");

-- CreateIndex
CREATE INDEX "seat_invitations_expires_at_idx" ON "seat_invitations"("expires_at");

-- CreateIndex
CREATE UNIQUE INDEX "seat_invitations_team_id_email_key" ON "seat_invitations"("team_id", "email");

-- CreateIndex
CREATE UNIQUE INDEX "api_keys_lookup_hash_key" ON "api_keys"("lookup_hash");

-- CreateIndex
CREATE UNIQUE INDEX "api_keys_previous_lookup_hash_key" ON "api_keys"("previous_lookup_hash");

-- CreateIndex
CREATE INDEX "api_keys_account_id_created_at_idx" ON "api_keys"("account_id", "created_at");

-- CreateIndex
CREATE INDEX "api_keys_seat_id_idx" ON "api_keys"("seat_id");

-- CreateIndex
CREATE INDEX "api_keys_expires_at_idx" ON "api_keys"("expires_at");

-- CreateIndex
CREATE INDEX "key_events_created_at_idx" ON "key_events"("created_at");

-- CreateIndex
CREATE INDEX "key_watchers_control_plane_id_idx" ON "key_watchers"("control_plane_id");

-- CreateIndex
CREATE INDEX "model_upstreams_provider_id_idx" ON "model_upstreams"("provider_id");

-- CreateIndex
CREATE INDEX "model_minutes_minute_idx" ON "model_minutes"("minute");

-- CreateIndex
CREATE INDEX "settled_batches_settled_at_idx" ON "settled_batches"("settled_at");

-- CreateIndex
CREATE INDEX "pools_owner_idx" ON "pools"("owner");

-- CreateIndex
CREATE INDEX "pools_resets_at_idx" ON "pools"("resets_at");

-- CreateIndex
CREATE INDEX "ledger_entries_pool_id_idx" ON "ledger_entries"("pool_id");

-- CreateIndex
CREATE INDEX "allowances_closed_at_idx" ON "allowances"("closed_at");

-- CreateIndex
CREATE INDEX "allowance_parts_pool_id_idx" ON "allowance_parts"("pool_id");

-- CreateIndex
CREATE INDEX "usage_records_account_id_ended_at_idx" ON "usage_records"("account_id", "ended_at");

-- CreateIndex
CREATE INDEX "usage_records_key_id_ended_at_idx" ON "usage_records"("key_id", "ended_at");

-- CreateIndex
CREATE INDEX "refused_requests_account_id_last_at_idx" ON "refused_requests"("account_id", "last_at");

-- CreateIndex
CREATE INDEX "refused_requests_last_at_idx" ON "refused_requests"("last_at");

-- CreateIndex
CREATE INDEX "usage_checkpoints_allowance_id_idx" ON "usage_checkpoints"("allowance_id");

-- CreateIndex
CREATE INDEX "usage_rollups_width_bucket_idx" ON "usage_rollups"("width", "bucket");

-- CreateIndex
CREATE INDEX "usage_days_bucket_idx" ON "usage_days"("bucket");

-- CreateIndex
CREATE UNIQUE INDEX "dashboard_users_email_key" ON "dashboard_users"("email");

-- CreateIndex
CREATE UNIQUE INDEX "dashboard_sessions_token_key" ON "dashboard_sessions"("token");

-- CreateIndex
CREATE INDEX "dashboard_sessions_user_id_idx" ON "dashboard_sessions"("user_id");

-- CreateIndex
CREATE INDEX "dashboard_sessions_expires_at_idx" ON "dashboard_sessions"("expires_at");

-- CreateIndex
CREATE INDEX "dashboard_credentials_user_id_idx" ON "dashboard_credentials"("user_id");

-- CreateIndex
CREATE INDEX "dashboard_verifications_identifier_idx" ON "dashboard_verifications"("identifier");

-- CreateIndex
CREATE INDEX "dashboard_verifications_expires_at_idx" ON "dashboard_verifications"("expires_at");

-- CreateIndex
CREATE UNIQUE INDEX "dashboard_rate_limits_key_key" ON "dashboard_rate_limits"("key");

-- AddForeignKey
ALTER TABLE "password_resets" ADD CONSTRAINT "password_resets_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "teams" ADD CONSTRAINT "teams_owner_account_id_fkey" FOREIGN KEY ("owner_account_id") REFERENCES "accounts"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "seats" ADD CONSTRAINT "seats_team_id_fkey" FOREIGN KEY ("team_id") REFERENCES "teams"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "seats" ADD CONSTRAINT "seats_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "seat_invitations" ADD CONSTRAINT "seat_invitations_team_id_fkey" FOREIGN KEY ("team_id") REFERENCES "teams"("id") ON DELETE CASCADE ON UPDATE CASCADE;

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

-- AddForeignKey
ALTER TABLE "ledger_entries" ADD CONSTRAINT "ledger_entries_pool_id_fkey" FOREIGN KEY ("pool_id") REFERENCES "pools"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "allowance_parts" ADD CONSTRAINT "allowance_parts_allowance_id_fkey" FOREIGN KEY ("allowance_id") REFERENCES "allowances"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "allowance_parts" ADD CONSTRAINT "allowance_parts_pool_id_fkey" FOREIGN KEY ("pool_id") REFERENCES "pools"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "dashboard_sessions" ADD CONSTRAINT "dashboard_sessions_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "dashboard_users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "dashboard_credentials" ADD CONSTRAINT "dashboard_credentials_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "dashboard_users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Constraints that Prisma's schema language cannot express.
ALTER TABLE "accounts"
  ADD CONSTRAINT "accounts_email_is_lower_case" CHECK ("email" = lower("email")),
  ADD CONSTRAINT "accounts_limits_are_not_negative" CHECK (
    "free_per_minute" >= 0 AND "paid_per_minute" >= 0 AND "reads_per_minute" >= 0 AND "concurrent_streams" >= 0
  );
ALTER TABLE "teams" ADD CONSTRAINT "teams_limit_is_not_negative" CHECK ("requests_per_minute" >= 0);
CREATE UNIQUE INDEX "seats_live_key" ON "seats"("team_id", "account_id") WHERE "removed_at" IS NULL;
ALTER TABLE "api_keys"
  ADD CONSTRAINT "api_keys_lookup_hash_form" CHECK ("lookup_hash" ~ '^v2:[0-9a-f]{64}$'),
  ADD CONSTRAINT "api_keys_kind" CHECK (
    "kind" IN ('issued', 'playground', 'demo') AND ("kind" <> 'playground' OR "expires_at" IS NOT NULL)
  ),
  ADD CONSTRAINT "api_keys_suspended" CHECK ("suspended_at" IS NULL OR "revoked_at" IS NOT NULL);
ALTER TABLE "installation" ADD CONSTRAINT "installation_one_row" CHECK ("id" = 1);
ALTER TABLE "models"
  ADD CONSTRAINT "models_capability" CHECK (
    "capability" IN ('chat', 'embeddings', 'rerank', 'images', 'speech', 'transcription')
  ),
  ADD CONSTRAINT "models_tier" CHECK ("tier" IN ('free', 'paid'));
ALTER TABLE "model_upstreams" ADD CONSTRAINT "model_upstreams_order" CHECK ("priority" >= 1 AND "weight" >= 1);
ALTER TABLE "model_minutes" ADD CONSTRAINT "model_minutes_counts" CHECK (
  "failed_attempts" BETWEEN 0 AND "attempts" AND "failed_requests" BETWEEN 0 AND "requests"
);
ALTER TABLE "provider_probes" ADD CONSTRAINT "provider_probes_outcome" CHECK (
  "outcome" IN ('ok', 'refused', 'failed') AND ("outcome" = 'failed') = ("failures" > 0) AND "failures" >= 0
);
ALTER TABLE "refused_requests" ADD CONSTRAINT "refused_requests_count_check" CHECK ("count" > 0);

-- Money.
ALTER TABLE "pools"
  ADD CONSTRAINT "pools_owner" CHECK ("owner" ~ '^[a-z_]+:.'),
  ADD CONSTRAINT "pools_add_up" CHECK (
    "included" = "remaining" + "held" + "charged" AND "remaining" >= 0 AND "held" >= 0 AND "charged" >= 0
  );
ALTER TABLE "ledger_entries" ADD CONSTRAINT "ledger_entries_kind" CHECK (
  "kind" IN ('included', 'charge', 'reset', 'moved', 'changed', 'removed')
  AND ("kind" = 'charge') = ("settlement" IS NOT NULL)
);
CREATE UNIQUE INDEX "ledger_entries_settlement_pool_id_key" ON "ledger_entries"("settlement", "pool_id")
  WHERE "settlement" IS NOT NULL;
ALTER TABLE "allowances" ADD CONSTRAINT "allowances_payer" CHECK (coalesce(cardinality("payer"), 0) > 0);
CREATE INDEX "allowances_open" ON "allowances"("instance_id") WHERE "closed_at" IS NULL;
ALTER TABLE "allowance_parts" ADD CONSTRAINT "allowance_parts_held" CHECK ("held" >= 0);

-- Usage. Ids are random, so compressing them gains nothing. Sums are updated often, in place where there is
-- room.
ALTER TABLE "usage_records"
  ADD CONSTRAINT "usage_records_add_up" CHECK (
    "cost" = "charged" + "uncollected" AND "charged" >= 0 AND "uncollected" >= 0 AND "held" >= 0
  ),
  ADD CONSTRAINT "usage_records_units" CHECK (
    least(
      "input_tokens", "cached_input_tokens", "cache_write_tokens", "cache_write_1h_tokens", "audio_input_tokens",
      "image_input_tokens", "output_tokens", "reasoning_tokens", "audio_output_tokens", "image_output_tokens",
      "images", "characters", "audio_ms", "search_units", "web_search_requests", "tool_calls"
    ) >= 0
    AND "input_tokens" >= "cached_input_tokens" + "cache_write_tokens" + "cache_write_1h_tokens"
      + "audio_input_tokens" + "image_input_tokens"
    AND "output_tokens" >= "reasoning_tokens" + "audio_output_tokens" + "image_output_tokens"
  );
ALTER TABLE "pending_settlements" ALTER COLUMN "request_ids" SET STORAGE EXTERNAL;
ALTER TABLE "usage_rollups"
  ADD CONSTRAINT "usage_rollups_width" CHECK ("width" IN (60, 3600, 86400)),
  SET (fillfactor = 70);
ALTER TABLE "usage_days" SET (fillfactor = 70);
ALTER TABLE "rollup_watermark" ADD CONSTRAINT "rollup_watermark_one_row" CHECK ("id" = 1);

-- Records without an arrival, and those of days without a partition. Retention finds the former by time; a
-- day's partition is dropped whole.
CREATE TABLE "usage_records_undated" PARTITION OF "usage_records" FOR VALUES FROM (MINVALUE) TO ('0');
CREATE INDEX "usage_records_undated_ended_at_brin" ON "usage_records_undated" USING brin ("ended_at");
CREATE TABLE "usage_records_rest" PARTITION OF "usage_records" DEFAULT;

INSERT INTO "revisions" ("name", "value") VALUES ('keys', 0), ('catalog', 0);
INSERT INTO "installation" ("epoch") VALUES (gen_random_uuid()::text);
INSERT INTO "rollup_watermark" ("until") VALUES (date_bin('1 minute', now(), 'epoch'));

-- Returns the arrival in a request id: eight base62 characters of the millisecond, which sort by time
-- (newRequestId).
CREATE OR REPLACE FUNCTION arrival_of(p_request_id text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT substr(p_request_id, 5, 8) $$;

-- Returns the first arrival (arrival_of) of a moment's millisecond, to compare arrivals with times.
CREATE OR REPLACE FUNCTION arrival_at(p_time timestamptz) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT substr(digits, (ms / 3521614606208 % 62)::int + 1, 1)
    || substr(digits, (ms / 56800235584 % 62)::int + 1, 1)
    || substr(digits, (ms / 916132832 % 62)::int + 1, 1)
    || substr(digits, (ms / 14776336 % 62)::int + 1, 1)
    || substr(digits, (ms / 238328 % 62)::int + 1, 1)
    || substr(digits, (ms / 3844 % 62)::int + 1, 1)
    || substr(digits, (ms / 62 % 62)::int + 1, 1)
    || substr(digits, (ms % 62)::int + 1, 1)
  FROM (VALUES (
    floor(extract(epoch FROM p_time) * 1000)::bigint,
    '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
  )) AS given (ms, digits)
$$;

-- Returns the first of the next month (UTC).
CREATE OR REPLACE FUNCTION next_month() RETURNS timestamptz
LANGUAGE sql STABLE AS $$
  SELECT (date_trunc('month', now() AT TIME ZONE 'UTC') + interval '1 month') AT TIME ZONE 'UTC'
$$;

-- Identifies a database by cluster, database and log timeline. Point-in-time recovery and failover begin a
-- new timeline, a dump another database; each may have lost changes. The log's file name has the current
-- timeline, the last checkpoint maybe an older one.
CREATE OR REPLACE FUNCTION database_identity() RETURNS text
LANGUAGE sql STABLE AS $$
  SELECT (SELECT system_identifier FROM pg_control_system())
    || ':' || (SELECT oid FROM pg_database WHERE datname = current_database())
    || ':' || left(pg_walfile_name(pg_current_wal_lsn()), 8)
$$;

-- Returns a payer's pools in charging order: by level, then by earliest reset. Includes a removed pool while
-- it holds money.
--   p_payer  levels in charging order, each as in `pools.owner`
CREATE OR REPLACE FUNCTION payer_pools(p_payer text[]) RETURNS SETOF pools
LANGUAGE sql STABLE AS $$
  SELECT * FROM pools
  WHERE owner = ANY(p_payer) AND (removed_at IS NULL OR held > 0)
  ORDER BY array_position(p_payer, owner), resets_at NULLS LAST, created_at, id
$$;

-- Sets money aside for as many needs as the pools cover, in order, and some to spare when there is plenty.
-- Opens the allowance if needed. First takes back what the data plane does not use, so that a waiting caller
-- never holds money that could cover others.
--   p_payer                     levels in charging order, as payer_pools takes them
--   p_returned                  total the data plane has returned
--   lapsed                      no lease; nothing granted, because it could be freed at any moment
--   closed                      the allowance is closed; nothing granted, use a new id
--   granted                     total ever granted
--   covered                     number of needs that this grant covers
--   exact                       nothing granted to spare
--   recall                      the last recall that the grant knew of
--   recalls                     when not even the first need is covered: recalls of other allowances, as an
--                               array of allowanceId and recall; when empty, the need cannot be covered
--   available, held, resets_at  of the payer's pools, after the grant
-- @throws lock_not_available, as take_back_allowance
CREATE OR REPLACE FUNCTION acquire_allowance(
  p_id text, p_instance_id text, p_payer text[], p_needs bigint[], p_spare bigint,
  p_returned bigint DEFAULT 0,
  OUT lapsed boolean, OUT closed boolean, OUT granted bigint, OUT covered int, OUT exact boolean, OUT recall int,
  OUT recalls jsonb, OUT available bigint, OUT held bigint, OUT resets_at timestamptz
)
LANGUAGE plpgsql AS $$
DECLARE
  v_ids text[];
  v_recalled boolean;
  v_grant bigint := 0;
  v_spare bigint := 0;
  v_need bigint;
  v_take bigint;
  v_pool record;
BEGIN
  SELECT array_agg(id) INTO v_ids FROM payer_pools(p_payer);
  PERFORM lock_pools(v_ids);
  PERFORM take_back_allowance(p_id, p_returned, 0, false, NULL);
  SELECT coalesce(sum(remaining), 0), coalesce(bool_or(recalled_at > now() - interval '2 seconds'), false)
  INTO available, v_recalled FROM pools WHERE id = ANY(v_ids);
  INSERT INTO allowances (id, instance_id, payer)
  VALUES (p_id, p_instance_id, p_payer) ON CONFLICT DO NOTHING;
  SELECT a.closed_at IS NOT NULL INTO closed FROM allowances a WHERE a.id = p_id FOR UPDATE;
  lapsed := NOT EXISTS (
    SELECT FROM key_watchers w WHERE w.instance_id = p_instance_id AND w.lease_until > now()
  );
  covered := 0;
  IF NOT closed AND NOT lapsed THEN
    FOREACH v_need IN ARRAY p_needs LOOP
      EXIT WHEN v_grant + v_need > available;
      v_grant := v_grant + v_need;
      covered := covered + 1;
    END LOOP;
    -- Near the end of a pool, and during recalls, nobody gets more than needed.
    IF covered = cardinality(p_needs) AND NOT v_recalled THEN
      v_spare := least(p_spare, (available - v_grant) / 8);
    END IF;
    v_grant := v_grant + v_spare;
    available := available - v_grant;
  END IF;
  exact := v_spare = 0;
  UPDATE allowances a SET granted = a.granted + v_grant, exact = a.exact AND v_spare = 0, used_at = now()
  WHERE a.id = p_id RETURNING a.granted, a.recall INTO acquire_allowance.granted, acquire_allowance.recall;
  FOR v_pool IN
    -- Without pools added since, which are not locked.
    SELECT p.id, p.remaining FROM payer_pools(p_payer) p WHERE p.id = ANY(v_ids)
  LOOP
    EXIT WHEN v_grant = 0;
    v_take := least(v_grant, v_pool.remaining);
    CONTINUE WHEN v_take = 0;
    UPDATE pools p SET remaining = p.remaining - v_take, held = p.held + v_take WHERE p.id = v_pool.id;
    INSERT INTO allowance_parts AS part (allowance_id, pool_id, held) VALUES (p_id, v_pool.id, v_take)
    ON CONFLICT (allowance_id, pool_id) DO UPDATE SET held = part.held + v_take;
    v_grant := v_grant - v_take;
  END LOOP;
  IF NOT closed AND NOT lapsed AND covered = 0 AND cardinality(p_needs) > 0 THEN
    SELECT jsonb_agg(r) INTO recalls FROM recall_allowances(v_ids, p_id) r;
  END IF;
  recalls := coalesce(recalls, '[]');
  SELECT coalesce(sum(p.held), 0), min(p.resets_at) INTO acquire_allowance.held, acquire_allowance.resets_at
  FROM pools p WHERE p.id = ANY(v_ids);
END
$$;

-- Sets money aside in one statement for many payers with plenty: their needs, and some to spare as in
-- acquire_allowance. Leaves out all others, which ask alone. Waits for no lock, so that no payer delays
-- another and no deadlock arises: whatever is locked is left out too.
--   p_ids, p_payers, ...  arrays by allowance; p_needs are sums. A payer is the text form of a text[]:
--                         nested arrays in Postgres must have one length
-- @returns a row per allowance granted: total ever granted, and the last recall that the grant knew of
--
-- Plans come from a connection's first calls, when tables were small, so sequential scans and JIT are off.
-- One plan serves all calls: planning for each number of payers takes longer than granting.
CREATE OR REPLACE FUNCTION acquire_allowances(
  p_instance_id text, p_ids text[], p_payers text[], p_needs bigint[], p_spares bigint[], p_returned bigint[]
)
RETURNS TABLE ("allowanceId" text, granted bigint, recall int)
LANGUAGE plpgsql
SET enable_seqscan = off SET jit = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  v_pools text[];
  v_known text[];
BEGIN
  -- Without a lease, the grant could be freed at any moment.
  IF NOT EXISTS (SELECT FROM key_watchers w WHERE w.instance_id = p_instance_id AND w.lease_until > now()) THEN
    RETURN;
  END IF;
  SELECT array_agg(free.id) INTO v_pools FROM (
    SELECT id FROM pools WHERE id IN (
      SELECT p.id FROM unnest(p_payers) AS payer, payer_pools(payer::text[]) AS p
    ) ORDER BY id FOR UPDATE SKIP LOCKED
  ) AS free;
  SELECT array_agg(free.id) INTO v_known FROM (
    SELECT a.id FROM allowances a WHERE a.id = ANY(p_ids) FOR UPDATE SKIP LOCKED
  ) AS free;

  RETURN QUERY
  WITH payer AS (
    SELECT ask.id, ask.payer, ask.need, ask.spare, pool.id AS pool_id, pool.remaining, pool.pools
    FROM unnest(p_ids, p_payers, p_needs, p_spares, p_returned) AS ask (id, payer, need, spare, returned)
    LEFT JOIN allowances a ON a.id = ask.id,
    LATERAL (
      -- First of the payer's pools with a balance.
      SELECT p.id, p.remaining, count(*) FILTER (WHERE p.remaining > 0) OVER () AS pools,
        bool_and(
          p.id = ANY(v_pools) AND coalesce(p.resets_at > now(), true)
            AND coalesce(p.recalled_at <= now() - interval '2 seconds', true)
        ) OVER () AS usable
      FROM payer_pools(ask.payer::text[]) WITH ORDINALITY AS p
      ORDER BY p.remaining = 0, p.ordinality LIMIT 1
    ) AS pool
    WHERE pool.usable AND pool.remaining > 0
      AND (a.id IS NULL OR (a.id = ANY(v_known) AND a.closed_at IS NULL AND ask.returned <= a.returned))
  ), share AS (
    -- Payers of one pool share its spare money.
    SELECT payer.*, least(
      payer.spare,
      (remaining - (sum(need) OVER same_pool)::bigint) / (8 * count(*) OVER same_pool)
    ) AS more
    FROM payer WINDOW same_pool AS (PARTITION BY pool_id)
  ), plenty AS (
    SELECT share.*, share.need + share.more AS amount FROM share
    WHERE share.more > 0 AND (share.pools = 1 OR share.more = share.spare)
  ), drawn AS (
    UPDATE pools p SET remaining = p.remaining - sum.amount, held = p.held + sum.amount
    FROM (SELECT pool_id, sum(amount)::bigint AS amount FROM plenty GROUP BY pool_id) AS sum
    WHERE p.id = sum.pool_id
  ), opened AS (
    INSERT INTO allowances AS a (id, instance_id, payer, granted, exact)
    SELECT plenty.id, p_instance_id, plenty.payer::text[], amount, false FROM plenty
    ON CONFLICT (id) DO UPDATE SET granted = a.granted + EXCLUDED.granted, exact = false, used_at = now()
    RETURNING a.id, a.granted, a.recall
  ), parts AS (
    INSERT INTO allowance_parts AS part (allowance_id, pool_id, held)
    SELECT plenty.id, pool_id, amount FROM plenty
    ON CONFLICT (allowance_id, pool_id) DO UPDATE SET held = part.held + EXCLUDED.held
  )
  SELECT opened.id, opened.granted, opened.recall FROM opened;
END
$$;

-- Adds usage records to the sums of their minute, and subtracts replaced ones. Hours and days get them only
-- where they contain the minute; other minutes follow in bulk. Locks the sums last, in order of key and once
-- per transaction, so this is one statement.
--   p_request_ids  records to add
--   p_replaced     replaced records, as the sums have them; null: none
--   p_from         minutes from here until p_until are added to their hours and days, which lack them
--   p_until        hours and days then contain all minutes before this
--
-- Plans come from a connection's first calls, when tables were small. Scanning usage_records per batch would
-- cost ever more, so sequential scans are off. Until Postgres 17 a scan that remains seems so costly that it
-- is compiled, which takes longer than running it, so JIT is off too.
CREATE OR REPLACE FUNCTION add_sums(
  p_request_ids text[], p_replaced usage_records[], p_from timestamptz, p_until timestamptz
) RETURNS void
LANGUAGE plpgsql SET enable_seqscan = off SET jit = off SET work_mem = '64MB' AS $$
DECLARE
  -- First and last of the records to add.
  v_first_arrival text COLLATE "C";
  v_last_arrival text COLLATE "C";
BEGIN
  SELECT min(arrival), max(arrival) INTO v_first_arrival, v_last_arrival
  FROM (SELECT arrival_of(id) COLLATE "C" FROM unnest(p_request_ids) AS id) AS r (arrival);
  -- Many records make few minutes, so hours and days are summed from minutes.
  WITH minutes AS MATERIALIZED (
    SELECT account_id, coalesce(seat_id, '') AS seat_id, date_bin('1 minute', ended_at, 'epoch') AS minute, key_id,
      model_id, min(capability) AS capability, count(*) AS requests,
      sum(input_tokens)::bigint AS input_tokens, sum(cached_input_tokens)::bigint AS cached_input_tokens,
      sum(output_tokens)::bigint AS output_tokens, sum(images)::bigint AS images,
      sum(characters)::bigint AS characters, sum(audio_ms)::bigint AS audio_ms,
      sum(search_units)::bigint AS search_units, sum(cache_write_tokens)::bigint AS cache_write_tokens,
      sum(cache_write_1h_tokens)::bigint AS cache_write_1h_tokens,
      sum(audio_input_tokens)::bigint AS audio_input_tokens, sum(image_input_tokens)::bigint AS image_input_tokens,
      sum(reasoning_tokens)::bigint AS reasoning_tokens, sum(audio_output_tokens)::bigint AS audio_output_tokens,
      sum(image_output_tokens)::bigint AS image_output_tokens,
      sum(web_search_requests)::bigint AS web_search_requests, sum(tool_calls)::bigint AS tool_calls,
      sum(charged)::bigint AS charged,
      true AS is_new
    FROM usage_records
    WHERE request_id = ANY(p_request_ids)
      AND (arrival = '' OR arrival BETWEEN v_first_arrival AND v_last_arrival)
    GROUP BY 1, 2, 3, 4, 5
    UNION ALL
    SELECT account_id, coalesce(seat_id, ''), date_bin('1 minute', ended_at, 'epoch'), key_id, model_id, capability,
      -1, -input_tokens, -cached_input_tokens, -output_tokens, -images, -characters, -audio_ms, -search_units,
      -cache_write_tokens, -cache_write_1h_tokens, -audio_input_tokens, -image_input_tokens, -reasoning_tokens,
      -audio_output_tokens, -image_output_tokens, -web_search_requests, -tool_calls, -charged, true
    FROM unnest(p_replaced)
    UNION ALL
    SELECT account_id, seat_id, bucket, key_id, model_id, capability,
      requests, input_tokens, cached_input_tokens, output_tokens, images, characters, audio_ms, search_units,
      cache_write_tokens, cache_write_1h_tokens, audio_input_tokens, image_input_tokens, reasoning_tokens,
      audio_output_tokens, image_output_tokens, web_search_requests, tool_calls, charged, false
    FROM usage_rollups WHERE width = 60 AND bucket >= p_from AND bucket < p_until
  ), days AS (
    INSERT INTO usage_days AS sum (
      account_id, seat_id, bucket, model_id, capability, requests, input_tokens, cached_input_tokens, output_tokens,
      images, characters, audio_ms, search_units, cache_write_tokens, cache_write_1h_tokens, audio_input_tokens,
      image_input_tokens, reasoning_tokens, audio_output_tokens, image_output_tokens, web_search_requests, tool_calls,
      charged
    )
    SELECT account_id, seat_id, date_bin('1 day', minute, 'epoch'), model_id, min(capability),
      sum(requests), sum(input_tokens), sum(cached_input_tokens), sum(output_tokens), sum(images), sum(characters),
      sum(audio_ms), sum(search_units), sum(cache_write_tokens), sum(cache_write_1h_tokens), sum(audio_input_tokens),
      sum(image_input_tokens), sum(reasoning_tokens), sum(audio_output_tokens), sum(image_output_tokens),
      sum(web_search_requests), sum(tool_calls), sum(charged)
    FROM minutes WHERE minute < p_until
    GROUP BY 1, 2, 3, 4
    ORDER BY 1, 2, 3, 4
    ON CONFLICT (account_id, seat_id, bucket, model_id) DO UPDATE SET
      requests = sum.requests + EXCLUDED.requests,
      input_tokens = sum.input_tokens + EXCLUDED.input_tokens,
      cached_input_tokens = sum.cached_input_tokens + EXCLUDED.cached_input_tokens,
      output_tokens = sum.output_tokens + EXCLUDED.output_tokens,
      images = sum.images + EXCLUDED.images,
      characters = sum.characters + EXCLUDED.characters,
      audio_ms = sum.audio_ms + EXCLUDED.audio_ms,
      search_units = sum.search_units + EXCLUDED.search_units,
      cache_write_tokens = sum.cache_write_tokens + EXCLUDED.cache_write_tokens,
      cache_write_1h_tokens = sum.cache_write_1h_tokens + EXCLUDED.cache_write_1h_tokens,
      audio_input_tokens = sum.audio_input_tokens + EXCLUDED.audio_input_tokens,
      image_input_tokens = sum.image_input_tokens + EXCLUDED.image_input_tokens,
      reasoning_tokens = sum.reasoning_tokens + EXCLUDED.reasoning_tokens,
      audio_output_tokens = sum.audio_output_tokens + EXCLUDED.audio_output_tokens,
      image_output_tokens = sum.image_output_tokens + EXCLUDED.image_output_tokens,
      web_search_requests = sum.web_search_requests + EXCLUDED.web_search_requests,
      tool_calls = sum.tool_calls + EXCLUDED.tool_calls,
      charged = sum.charged + EXCLUDED.charged
  )
  INSERT INTO usage_rollups AS sum (
    account_id, seat_id, width, bucket, key_id, model_id, capability, requests, input_tokens, cached_input_tokens,
    output_tokens, images, characters, audio_ms, search_units, cache_write_tokens, cache_write_1h_tokens,
    audio_input_tokens, image_input_tokens, reasoning_tokens, audio_output_tokens, image_output_tokens,
    web_search_requests, tool_calls, charged
  )
  SELECT account_id, seat_id, width, date_bin(make_interval(secs => width), minute, 'epoch'), key_id, model_id,
    min(capability),
    sum(requests), sum(input_tokens), sum(cached_input_tokens), sum(output_tokens), sum(images), sum(characters),
    sum(audio_ms), sum(search_units), sum(cache_write_tokens), sum(cache_write_1h_tokens), sum(audio_input_tokens),
    sum(image_input_tokens), sum(reasoning_tokens), sum(audio_output_tokens), sum(image_output_tokens),
    sum(web_search_requests), sum(tool_calls), sum(charged)
  FROM minutes
  JOIN (VALUES (60), (3600), (86400)) AS widths (width) ON CASE WHEN width = 60 THEN is_new ELSE minute < p_until END
  GROUP BY 1, 2, 3, 4, 5, 6
  ORDER BY 1, 2, 3, 4, 5, 6
  ON CONFLICT (account_id, seat_id, width, bucket, key_id, model_id) DO UPDATE SET
    requests = sum.requests + EXCLUDED.requests,
    input_tokens = sum.input_tokens + EXCLUDED.input_tokens,
    cached_input_tokens = sum.cached_input_tokens + EXCLUDED.cached_input_tokens,
    output_tokens = sum.output_tokens + EXCLUDED.output_tokens,
    images = sum.images + EXCLUDED.images,
    characters = sum.characters + EXCLUDED.characters,
    audio_ms = sum.audio_ms + EXCLUDED.audio_ms,
    search_units = sum.search_units + EXCLUDED.search_units,
    cache_write_tokens = sum.cache_write_tokens + EXCLUDED.cache_write_tokens,
    cache_write_1h_tokens = sum.cache_write_1h_tokens + EXCLUDED.cache_write_1h_tokens,
    audio_input_tokens = sum.audio_input_tokens + EXCLUDED.audio_input_tokens,
    image_input_tokens = sum.image_input_tokens + EXCLUDED.image_input_tokens,
    reasoning_tokens = sum.reasoning_tokens + EXCLUDED.reasoning_tokens,
    audio_output_tokens = sum.audio_output_tokens + EXCLUDED.audio_output_tokens,
    image_output_tokens = sum.image_output_tokens + EXCLUDED.image_output_tokens,
    web_search_requests = sum.web_search_requests + EXCLUDED.web_search_requests,
    tool_calls = sum.tool_calls + EXCLUDED.tool_calls,
    charged = sum.charged + EXCLUDED.charged;
END
$$;

-- Changes what a pool includes, with a ledger entry of the difference, but never below what is used or held.
--   p_name         new name; null: unchanged
--   changed        false: too much is used or held, or the pool is removed
--   recalls        recalls whose money would allow the change, as in acquire_allowance
--   charged, held  of the pool
CREATE OR REPLACE FUNCTION change_pool(
  p_id text, p_included bigint, p_name text,
  OUT changed boolean, OUT recalls jsonb, OUT charged bigint, OUT held bigint
)
LANGUAGE plpgsql AS $$
DECLARE
  v_pool pools;
BEGIN
  PERFORM lock_pools(ARRAY[p_id]);
  SELECT * INTO v_pool FROM pools WHERE id = p_id;
  charged := coalesce(v_pool.charged, 0);
  held := coalesce(v_pool.held, 0);
  changed := coalesce(v_pool.removed_at IS NULL AND p_included >= charged + held, false);
  IF changed AND p_included <> v_pool.included THEN
    UPDATE pools p SET included = p_included, remaining = p_included - p.charged - p.held,
      name = coalesce(p_name, p.name)
    WHERE p.id = p_id;
    INSERT INTO ledger_entries (pool_id, kind, amount) VALUES (p_id, 'changed', p_included - v_pool.included);
  ELSIF NOT changed AND v_pool.removed_at IS NULL AND p_included >= charged THEN
    SELECT jsonb_agg(r) INTO recalls FROM recall_allowances(ARRAY[p_id], '') r;
  END IF;
  recalls := coalesce(recalls, '[]');
END
$$;

-- Charges a stored request what it still owes: first the money its allowance holds, then the payer's pools.
-- Updates the record and the entries of its settlement. The caller has locked the payer's pools; one added
-- since is locked without waiting.
-- @throws lock_not_available
CREATE OR REPLACE FUNCTION charge_request(p_request_id text, p_allowance_id text, p_payer text[]) RETURNS void
LANGUAGE plpgsql SET enable_seqscan = off SET jit = off AS $$
DECLARE
  v_record record;
  v_source record;
  v_due bigint;
  v_take bigint;
  v_charges jsonb;
BEGIN
  SELECT * INTO v_record FROM usage_records
  WHERE request_id = p_request_id AND arrival IN ('', arrival_of(p_request_id));
  v_due := v_record.uncollected;
  IF v_due = 0 THEN RETURN; END IF;
  PERFORM FROM pools WHERE id IN (SELECT p.id FROM payer_pools(p_payer) AS p) ORDER BY id FOR UPDATE NOWAIT;
  v_charges := CASE
    WHEN v_record.charges IS NOT NULL THEN v_record.charges
    WHEN v_record.pool_id IS NOT NULL THEN jsonb_build_array(
      jsonb_build_object('poolId', v_record.pool_id, 'amount', v_record.charged)
    )
    ELSE '[]'
  END;
  FOR v_source IN
    SELECT p.id AS pool_id, source.amount, source.is_held
    FROM payer_pools(p_payer) WITH ORDINALITY AS p
    LEFT JOIN allowance_parts part ON part.pool_id = p.id AND part.allowance_id = p_allowance_id
    CROSS JOIN LATERAL (VALUES (part.held, true), (p.remaining, false)) AS source (amount, is_held)
    WHERE source.amount > 0
    ORDER BY NOT source.is_held, p.ordinality
  LOOP
    EXIT WHEN v_due = 0;
    v_take := least(v_due, v_source.amount);
    v_due := v_due - v_take;
    IF v_source.is_held THEN
      UPDATE allowance_parts SET held = held - v_take
      WHERE allowance_id = p_allowance_id AND pool_id = v_source.pool_id;
      UPDATE pools SET held = held - v_take, charged = charged + v_take WHERE id = v_source.pool_id;
    ELSE
      UPDATE pools SET remaining = remaining - v_take, charged = charged + v_take WHERE id = v_source.pool_id;
    END IF;
    INSERT INTO ledger_entries AS entry (pool_id, kind, amount, settlement)
    VALUES (v_source.pool_id, 'charge', -v_take, v_record.settlement)
    ON CONFLICT (settlement, pool_id) WHERE settlement IS NOT NULL DO UPDATE SET amount = entry.amount - v_take;
    v_charges := v_charges || jsonb_build_object('poolId', v_source.pool_id, 'amount', v_take);
  END LOOP;
  -- Merges two payments of one pool, from the allowance and from the rest.
  SELECT coalesce(jsonb_agg(jsonb_build_object('poolId', pool_id, 'amount', amount) ORDER BY place), '[]')
  INTO v_charges
  FROM (
    SELECT charge->>'poolId' AS pool_id, sum((charge->>'amount')::bigint) AS amount, min(place) AS place
    FROM jsonb_array_elements(v_charges) WITH ORDINALITY AS given (charge, place) GROUP BY 1
  ) AS by_pool;
  UPDATE usage_records SET charged = cost - v_due, uncollected = v_due,
    pool_id = CASE WHEN jsonb_array_length(v_charges) = 1 THEN v_charges->0->>'poolId' END,
    charges = CASE WHEN jsonb_array_length(v_charges) > 1 THEN v_charges END
  WHERE request_id = p_request_id AND arrival IN ('', arrival_of(p_request_id));
END
$$;

-- Closes an allowance whose data plane is gone, and bills its streams by their checkpoints (settle_records).
-- Locks everything first; when a pool added meanwhile is locked, the next sweep closes it.
-- @returns true when it was closed here
CREATE OR REPLACE FUNCTION close_expired_allowance(p_id text, p_grace interval) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
  v_closed boolean;
BEGIN
  PERFORM lock_pools((
    SELECT array_agg(p.id) FROM allowances a, payer_pools(a.payer) AS p WHERE a.id = p_id
  ));
  PERFORM FROM allowances a
  WHERE a.id = p_id AND a.closed_at IS NULL AND a.used_at < now() - p_grace AND NOT EXISTS (
    SELECT FROM key_watchers w WHERE w.instance_id = a.instance_id AND w.lease_until > now() - p_grace
  )
  FOR UPDATE;
  IF NOT FOUND THEN RETURN false; END IF;
  PERFORM settle_records(
    request_ids, allowances, payers, accounts, seats, teams, keys, models, capabilities, price_versions, ARRAY(
      -- An older control plane stores fewer units.
      SELECT coalesce(units[place], 0) FROM usage_checkpoints, generate_series(1, 16) AS place
      WHERE allowance_id = p_id ORDER BY request_id COLLATE "C", place
    ), parts, usage_sources, billing_reasons, held, costs, attempts, ended_at, client_statuses, client_error_codes, true
  )
  FROM (
    SELECT array_agg(request_id) AS request_ids, array_agg(allowance_id) AS allowances, array_agg(payer) AS payers,
      array_agg(account_id) AS accounts, array_agg(seat_id) AS seats, array_agg(team_id) AS teams,
      array_agg(key_id) AS keys, array_agg(model_id) AS models, array_agg(capability) AS capabilities,
      array_agg(price_version) AS price_versions, array_agg(parts) AS parts,
      array_agg(usage_source) AS usage_sources, array_agg(billing_reason) AS billing_reasons,
      array_agg(held) AS held, array_agg(cost) AS costs, array_agg(attempts) AS attempts,
      array_agg(ended_at) AS ended_at, array_agg(client_status) AS client_statuses,
      array_agg(client_error_code) AS client_error_codes
    FROM (
      SELECT * FROM usage_checkpoints WHERE allowance_id = p_id ORDER BY request_id COLLATE "C"
    ) AS checkpoint
    HAVING count(*) > 0
  ) AS known;
  SELECT closed INTO v_closed FROM take_back_allowance(p_id, 0, 0, true, NULL);
  RETURN v_closed;
EXCEPTION WHEN lock_not_available THEN
  RETURN false;
END
$$;

-- Drops partitions of usage_records whose requests all ended and were settled before a day (UTC): records are
-- settled within two days of arrival, or stored elsewhere (settle_records). Settling waits for a drop at most
-- until the timeout.
-- @returns how many were dropped
CREATE OR REPLACE FUNCTION drop_usage_partitions(p_before timestamptz) RETURNS int
LANGUAGE plpgsql SET lock_timeout = '200ms' AS $$
DECLARE
  v_name text;
  v_dropped int := 0;
BEGIN
  IF NOT pg_try_advisory_xact_lock(hashtext('usage_partitions')) THEN RETURN 0; END IF;
  FOR v_name IN
    SELECT relname FROM pg_inherits JOIN pg_class ON oid = inhrelid
    WHERE inhparent = 'usage_records'::regclass AND relname ~ '^usage_records_\d{4}_\d\d_\d\d$'
      AND to_date(substr(relname, 15), 'YYYY_MM_DD')::timestamp AT TIME ZONE 'UTC' + interval '72 hours' <= p_before
  LOOP
    EXECUTE format('DROP TABLE %I', v_name);
    v_dropped := v_dropped + 1;
  END LOOP;
  RETURN v_dropped;
END
$$;

-- Takes out whatever returns to a removed pool at once, with an entry, so that nobody spends it.
CREATE OR REPLACE FUNCTION empty_removed_pool() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO ledger_entries (pool_id, kind, amount) VALUES (NEW.id, 'removed', -NEW.remaining);
  NEW.included := NEW.included - NEW.remaining;
  NEW.remaining := 0;
  RETURN NEW;
END
$$;

CREATE OR REPLACE TRIGGER "pools_empty_removed" BEFORE UPDATE ON "pools" FOR EACH ROW
  WHEN (NEW."removed_at" IS NOT NULL AND NEW."remaining" > 0) EXECUTE FUNCTION empty_removed_pool();

-- Locks pools, and refills those past their month: held money stays held, charged to the new month.
CREATE OR REPLACE FUNCTION lock_pools(p_ids text[]) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM pools WHERE id = ANY(p_ids) ORDER BY id FOR UPDATE;
  INSERT INTO ledger_entries (pool_id, kind, amount)
  SELECT id, 'reset', charged FROM pools WHERE id = ANY(p_ids) AND resets_at <= now() AND charged > 0;
  UPDATE pools SET remaining = included - held, charged = 0, resets_at = next_month()
  WHERE id = ANY(p_ids) AND resets_at <= now();
END
$$;

-- Creates missing partitions of usage_records for the past and next days (UTC). Until then their records go
-- to usage_records_rest, which is locked only briefly, within the timeout. A day with many records there
-- stays there.
-- @returns how many were created
CREATE OR REPLACE FUNCTION make_usage_partitions(p_back int, p_ahead int) RETURNS int
LANGUAGE plpgsql SET lock_timeout = '200ms' AS $$
DECLARE
  v_day timestamptz;
  v_name text;
  v_first text;
  v_next text;
  v_made int := 0;
BEGIN
  IF NOT pg_try_advisory_xact_lock(hashtext('usage_partitions')) THEN RETURN 0; END IF;
  FOR v_day IN
    SELECT date_trunc('day', now(), 'UTC') + make_interval(hours => 24 * n) FROM generate_series(-p_back, p_ahead) AS n
  LOOP
    v_name := to_char(v_day AT TIME ZONE 'UTC', '"usage_records_"YYYY_MM_DD');
    v_first := arrival_at(v_day);
    v_next := arrival_at(v_day + interval '24 hours');
    CONTINUE WHEN to_regclass(v_name) IS NOT NULL OR 20000 < (
      SELECT count(*) FROM (
        SELECT FROM usage_records_rest WHERE arrival >= v_first AND arrival < v_next LIMIT 20001
      ) AS found
    );
    LOCK TABLE usage_records_rest IN ACCESS EXCLUSIVE MODE;
    EXECUTE format('CREATE TABLE %I (LIKE usage_records INCLUDING ALL)', v_name);
    EXECUTE format(
      'WITH moved AS (DELETE FROM usage_records_rest WHERE arrival >= %L AND arrival < %L RETURNING *)
      INSERT INTO %I SELECT * FROM moved', v_first, v_next, v_name
    );
    EXECUTE format(
      'ALTER TABLE usage_records ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', v_name, v_first, v_next
    );
    v_made := v_made + 1;
  END LOOP;
  RETURN v_made;
END
$$;

-- Moves unused money to another owner: to its pool of that name with the same reset rule, or to a new one.
--   p_to             id of a new pool
--   p_owner          receiver, as in `pools.owner`
--   p_max            maximum of the receiver's pools
--   moved            false: too little is left, or too many pools
--   too_many         the receiver has the maximum of pools
--   recalls          recalls because too little is left, as in acquire_allowance
--   target           the receiving pool; never a removed one
--   remaining, held  of the source pool
CREATE OR REPLACE FUNCTION move_pool_money(
  p_from text, p_amount bigint, p_to text, p_name text, p_owner text, p_max int,
  OUT moved boolean, OUT too_many boolean, OUT recalls jsonb, OUT target text, OUT remaining bigint,
  OUT held bigint
)
LANGUAGE plpgsql AS $$
DECLARE
  v_resets_at timestamptz;
  v_gone boolean;
BEGIN
  SELECT min(other.id) INTO target FROM pools source, pools other
  WHERE source.id = p_from AND other.id <> p_from AND other.name = p_name AND other.removed_at IS NULL
    AND (other.resets_at IS NULL) = (source.resets_at IS NULL) AND other.owner = p_owner;
  PERFORM lock_pools(array_remove(ARRAY[p_from, target], NULL));
  -- May have been removed while waiting for its lock.
  SELECT p.removed_at IS NOT NULL INTO v_gone FROM pools p WHERE p.id = target;
  IF v_gone THEN target := NULL; END IF;
  SELECT p.remaining, p.held, p.resets_at INTO move_pool_money.remaining, move_pool_money.held, v_resets_at
  FROM pools p WHERE p.id = p_from;
  too_many := target IS NULL AND p_max <= (
    SELECT count(*) FROM pools p WHERE p.owner = p_owner AND p.removed_at IS NULL
  );
  moved := coalesce(p_amount > 0 AND p_amount <= remaining AND NOT too_many, false);
  IF moved THEN
    remaining := remaining - p_amount;
    UPDATE pools p SET included = p.included - p_amount, remaining = p.remaining - p_amount WHERE p.id = p_from;
    IF target IS NULL THEN
      target := p_to;
      INSERT INTO pools (id, name, owner, included, remaining, resets_at)
      VALUES (p_to, p_name, p_owner, p_amount, p_amount, v_resets_at);
    ELSE
      UPDATE pools p SET included = p.included + p_amount, remaining = p.remaining + p_amount WHERE p.id = target;
    END IF;
    INSERT INTO ledger_entries (pool_id, kind, amount)
    VALUES (p_from, 'moved', -p_amount), (target, 'moved', p_amount);
  ELSIF NOT too_many AND p_amount <= remaining + held THEN
    SELECT jsonb_agg(r) INTO recalls FROM recall_allowances(ARRAY[p_from], '') r;
  END IF;
  recalls := coalesce(recalls, '[]');
END
$$;

-- Recalls unused money of other allowances on pools; the caller holds the pools' locks.
-- @returns the allowances that must reply, each with its recall; an open recall is not repeated. Includes
-- those of lost data planes, which cannot reply: nobody uses their money.
CREATE OR REPLACE FUNCTION recall_allowances(p_pool_ids text[], p_except text)
RETURNS TABLE ("allowanceId" text, recall int)
LANGUAGE plpgsql AS $$
BEGIN
  UPDATE pools SET recalled_at = now() WHERE id = ANY(p_pool_ids);
  RETURN QUERY
    UPDATE allowances a SET recall = greatest(a.recall, a.answered + 1)
    WHERE a.id IN (
      SELECT other.id FROM allowances other
      WHERE other.closed_at IS NULL AND other.id <> p_except AND other.id IN (
        SELECT part.allowance_id FROM allowance_parts part WHERE part.pool_id = ANY(p_pool_ids) AND part.held > 0
      ) AND (
        NOT other.exact OR NOT EXISTS (
          SELECT FROM key_watchers w WHERE w.instance_id = other.instance_id AND w.lease_until > now()
        )
      )
      ORDER BY other.id FOR UPDATE OF other
    )
    RETURNING a.id, a.recall;
  PERFORM pg_notify('gateway_recalls', '');
END
$$;

-- Removes a pool: takes out unused money with a ledger entry. Used money stays, and held money until its
-- requests end. Repeated calls return the same.
--   taken    taken out at the removal
--   recalls  recalls so that unused money returns now, as in acquire_allowance
CREATE OR REPLACE FUNCTION remove_pool(p_id text, OUT taken bigint, OUT recalls jsonb)
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM lock_pools(ARRAY[p_id]);
  SELECT p.remaining INTO taken FROM pools p WHERE p.id = p_id AND p.removed_at IS NULL;
  IF taken IS NOT NULL THEN
    UPDATE pools p SET included = p.included - taken, remaining = 0, resets_at = NULL, removed_at = now()
    WHERE p.id = p_id;
    INSERT INTO ledger_entries (pool_id, kind, amount) VALUES (p_id, 'removed', -taken);
  END IF;
  SELECT coalesce(taken, -amount, 0) INTO taken FROM (SELECT 1) AS one LEFT JOIN (
    SELECT amount FROM ledger_entries WHERE pool_id = p_id AND kind = 'removed' ORDER BY id LIMIT 1
  ) AS entry ON true;
  SELECT jsonb_agg(r) INTO recalls FROM recall_allowances(ARRAY[p_id], '') r;
  recalls := coalesce(recalls, '[]');
END
$$;

-- Begins a new epoch, unless somebody has done so. Counters jump beyond anything that may have been lost, so
-- that no revision or price version is used twice.
--   p_expected  epoch known to the caller; null: any
-- @returns the epoch in force
CREATE OR REPLACE FUNCTION renew_epoch(p_expected text) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
  v_epoch text;
BEGIN
  UPDATE installation SET epoch = gen_random_uuid()::text, identity = database_identity(), renewed_at = now(),
    price_floor = greatest(price_floor, (SELECT coalesce(max(version), 0) FROM model_prices)) + 10000
  WHERE p_expected IS NULL OR epoch = p_expected
  RETURNING epoch INTO v_epoch;
  IF v_epoch IS NULL THEN
    SELECT epoch INTO v_epoch FROM installation;
    RETURN v_epoch;
  END IF;
  UPDATE revisions SET value = value + 1000000000;
  PERFORM pg_notify('gateway_catalog', ''), pg_notify('gateway_keys', ''), pg_notify('gateway_watchers', '');
  RETURN v_epoch;
END
$$;

-- Takes back unused money of an allowance, after locking the pools it holds money of. Parameters, result and
-- errors as take_back_allowance.
CREATE OR REPLACE FUNCTION return_allowance(
  p_id text, p_returned bigint, p_recall int, p_close boolean, p_granted bigint DEFAULT NULL,
  OUT granted bigint, OUT closed boolean
)
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM lock_pools((SELECT array_agg(part.pool_id) FROM allowance_parts part WHERE part.allowance_id = p_id));
  SELECT back.granted, back.closed INTO return_allowance.granted, return_allowance.closed
  FROM take_back_allowance(p_id, p_returned, p_recall, p_close, p_granted) AS back;
END
$$;

-- Takes back unused money of many allowances in one statement, as return_allowance does. Waits for no lock,
-- as acquire_allowances: leaves out locked allowances, those with a locked pool, and checkpoints being
-- settled; also open allowances with money of several pools, where the order of returning matters.
--   p_returned  total the data plane has returned
--   p_closes    everything is returned, and nothing can be granted any more
-- @returns a row per allowance not left out, with the total ever granted
-- Plans: as in acquire_allowances.
CREATE OR REPLACE FUNCTION return_allowances(p_ids text[], p_returned bigint[], p_closes boolean[])
RETURNS TABLE ("allowanceId" text, granted bigint, closed boolean)
LANGUAGE plpgsql
SET enable_seqscan = off SET jit = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  v_pools text[];
  v_ids text[];
BEGIN
  SELECT coalesce(array_agg(free.id), '{}') INTO v_pools FROM (
    SELECT id FROM pools WHERE id IN (
      SELECT part.pool_id FROM allowance_parts part WHERE part.allowance_id = ANY(p_ids)
    ) ORDER BY id FOR UPDATE SKIP LOCKED
  ) AS free;
  SELECT array_agg(free.id) INTO v_ids FROM (
    SELECT a.id FROM unnest(p_ids, p_closes) AS given (id, close) JOIN allowances a ON a.id = given.id
    WHERE a.closed_at IS NULL AND (
      SELECT coalesce(bool_and(part.pool_id = ANY(v_pools)), true)
        AND (given.close OR count(*) FILTER (WHERE part.held > 0) <= 1)
      FROM allowance_parts part WHERE part.allowance_id = a.id
    )
    FOR UPDATE OF a SKIP LOCKED
  ) AS free;

  RETURN QUERY
  WITH back AS (
    SELECT a.id, given.close, greatest(least(given.returned, a.granted), a.returned) AS returned,
      a.returned AS before
    FROM unnest(p_ids, p_returned, p_closes) AS given (id, returned, close)
    JOIN allowances a ON a.id = given.id
    WHERE a.id = ANY(v_ids)
  ), taken AS (
    SELECT part.allowance_id, part.pool_id,
      CASE WHEN back.close THEN part.held ELSE least(part.held, back.returned - back.before) END AS amount
    FROM back JOIN allowance_parts part ON part.allowance_id = back.id
    WHERE part.held > 0
  ), parts AS (
    UPDATE allowance_parts part SET held = part.held - taken.amount FROM taken
    WHERE part.allowance_id = taken.allowance_id AND part.pool_id = taken.pool_id
  ), filled AS (
    UPDATE pools p SET held = p.held - sum.amount, remaining = p.remaining + sum.amount
    FROM (SELECT pool_id, sum(amount)::bigint AS amount FROM taken GROUP BY pool_id) AS sum
    WHERE p.id = sum.pool_id AND sum.amount > 0
  ), checkpoints AS (
    DELETE FROM usage_checkpoints WHERE request_id IN (
      SELECT c.request_id FROM usage_checkpoints c JOIN back ON c.allowance_id = back.id
      WHERE back.close FOR UPDATE OF c SKIP LOCKED
    )
  )
  UPDATE allowances a
  SET returned = back.returned, used_at = now(), closed_at = CASE WHEN back.close THEN now() END
  FROM back WHERE a.id = back.id
  RETURNING a.id, a.granted, back.close;
  -- Closing answers any open recall.
  IF true = ANY(p_closes) THEN PERFORM pg_notify('gateway_returns', ''); END IF;
END
$$;

-- Adds the records of pending settlements to the usage sums, once each. One caller at a time; settlements
-- being changed wait for the next time.
-- @returns settlements summed; fewer than p_most: none are left for now
CREATE OR REPLACE FUNCTION roll_up_settlements(p_most int) RETURNS int
LANGUAGE plpgsql AS $$
DECLARE
  v_count int;
  v_request_ids text[];
BEGIN
  IF NOT pg_try_advisory_xact_lock(hashtext('roll_up_settlements')) THEN RETURN 0; END IF;
  WITH taken AS (
    DELETE FROM pending_settlements WHERE number IN (
      SELECT number FROM pending_settlements ORDER BY number LIMIT p_most FOR UPDATE SKIP LOCKED
    ) RETURNING request_ids
  )
  SELECT (SELECT count(*) FROM taken), ARRAY(SELECT unnest(request_ids) FROM taken) INTO v_count, v_request_ids;
  PERFORM sum_up(v_request_ids, NULL);
  RETURN v_count;
END
$$;

-- Stores ended requests and charges their cost: first money set aside for them, then the pools' balance; the
-- rest is uncollected. A stored request changes nothing, unless it is provisional (its data plane seemed
-- gone): then the rest of its cost is charged, once. Writes one ledger entry per paying pool, and the payers
-- of each record. Sums follow later (roll_up_settlements).
--   p_request_ids  ascending and distinct; the other arrays have the same length and order
--   p_payers       as acquire_allowances takes them; p_accounts, p_seats and p_teams are only stored
--   p_units        of all requests, concatenated, sixteen each: input tokens, cached input, output tokens,
--                  images, characters, milliseconds of audio, search units, tokens written to the cache,
--                  written for an hour, audio input, image input, reasoning, audio output, image output, web
--                  searches, tool calls
--   p_provisional  more may follow. The caller holds locks (close_expired_allowance), so it waits for no pool
-- @throws lock_not_available when it may not wait for a locked pool; nothing was stored
--
-- Plans come from a connection's first calls, when tables were small. Scanning usage_records per batch would
-- cost ever more, so sequential scans are off. Until Postgres 17 a scan that remains seems so costly that it
-- is compiled, which takes longer than running it, so JIT is off too.
CREATE OR REPLACE FUNCTION settle_records(
  p_request_ids text[], p_allowances text[], p_payers text[], p_accounts text[], p_seats text[], p_teams text[],
  p_keys text[], p_models text[], p_capabilities text[], p_price_versions int[], p_units bigint[], p_parts jsonb[],
  p_usage_sources text[], p_billing_reasons text[], p_held bigint[], p_costs bigint[], p_attempts jsonb[],
  p_ended_at timestamptz[], p_client_statuses int[], p_client_error_codes text[], p_provisional boolean
) RETURNS void
LANGUAGE plpgsql SET enable_seqscan = off SET jit = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  v_settlement bigint := nextval('pending_settlements_number_seq');
  -- Records with an arrival outside of this time are stored without it, so that a day is fully settled two
  -- days later (drop_usage_partitions).
  v_earliest text COLLATE "C" := arrival_at(now() - interval '48 hours');
  v_latest text COLLATE "C" := arrival_at(now() + interval '24 hours');
  -- First and last arrival of these.
  v_first_arrival text COLLATE "C";
  v_last_arrival text COLLATE "C";
  v_locked_pools text[];
  -- Stored already, without the replaced ones.
  v_known_ids text[];
  -- Partly known and replaced: the settlements that charged it, and who paid.
  v_replaced_ids text[];
  v_settlements bigint[];
  v_payers text[];
  v_charged bigint[];
  v_charges jsonb[];
  v_locked_ids text[] := '{}';
  -- Those in the sums, with their stored values.
  v_summed_ids text[] := '{}';
  v_summed usage_records[];
  v_old record;
  -- The others.
  v_new_ids text[] := p_request_ids;
  -- Allowances that pay all their charges here, each from one pool.
  v_paying text[];
  v_pools text[];
  v_amounts bigint[];
  -- End of the first and last request.
  v_first timestamptz;
  v_last timestamptz;
  v_is_late boolean;
  v_checkpoints text[];
  v_record record;
BEGIN
  SELECT array_agg(DISTINCT p.id) INTO v_locked_pools
  FROM (
    SELECT DISTINCT payer FROM unnest(p_payers, p_costs) AS r (payer, cost) WHERE cost > 0
  ) AS paid, payer_pools(paid.payer::text[]) AS p;
  IF p_provisional THEN
    PERFORM FROM pools WHERE id = ANY(v_locked_pools) ORDER BY id FOR UPDATE NOWAIT;
  END IF;
  PERFORM lock_pools(v_locked_pools);
  SELECT min(arrival), max(arrival) INTO v_first_arrival, v_last_arrival
  FROM (SELECT arrival_of(id) COLLATE "C" FROM unnest(p_request_ids) AS id) AS r (arrival);
  -- Pools of free requests are not locked, so the same records may be replaced concurrently: wait for those
  -- locks and read again.
  LOOP
    SELECT coalesce(array_agg(request_id) FILTER (WHERE NOT is_replaced), '{}'),
      coalesce(array_agg(request_id) FILTER (WHERE is_replaced), '{}'),
      array_agg(settlement) FILTER (WHERE is_replaced), array_agg(pool_id) FILTER (WHERE is_replaced),
      array_agg(charged) FILTER (WHERE is_replaced), array_agg(charges) FILTER (WHERE is_replaced)
    INTO v_known_ids, v_replaced_ids, v_settlements, v_payers, v_charged, v_charges
    FROM (
      -- An OR would look up each id twice per partition.
      SELECT *, is_provisional AND NOT p_provisional AS is_replaced FROM (
        SELECT * FROM usage_records WHERE request_id = ANY(p_request_ids) AND arrival = ''
        UNION ALL
        SELECT * FROM usage_records
        WHERE request_id = ANY(p_request_ids) AND arrival BETWEEN v_first_arrival AND v_last_arrival
          AND arrival <> ''
      ) AS found
      ORDER BY request_id
    ) AS stored;
    EXIT WHEN v_replaced_ids <@ v_locked_ids;
    -- Waiting for records added meanwhile would break the lock order.
    IF v_locked_ids <> '{}' THEN RAISE lock_not_available; END IF;
    PERFORM FROM usage_records
    WHERE request_id = ANY(v_replaced_ids)
      AND (arrival = '' OR arrival BETWEEN v_first_arrival AND v_last_arrival)
    ORDER BY request_id FOR UPDATE;
    v_locked_ids := v_replaced_ids;
  END LOOP;
  IF v_known_ids || v_replaced_ids <> '{}' THEN
    v_new_ids := ARRAY(
      SELECT id FROM unnest(p_request_ids) AS id WHERE id <> ALL(v_known_ids || v_replaced_ids)
    );
  END IF;
  -- Nearly always an allowance has money of one pool and enough of it.
  WITH total AS (
    SELECT allowance_id, payer, sum(cost) AS cost
    FROM unnest(p_request_ids, p_allowances, p_payers, p_costs) AS r (request_id, allowance_id, payer, cost)
    WHERE cost > 0 AND request_id <> ALL(v_known_ids || v_replaced_ids) GROUP BY 1, 2
  ), covered AS (
    SELECT a.id, min(part.pool_id) AS pool_id, total.cost
    FROM total
    JOIN allowances a ON a.id = total.allowance_id AND a.payer = total.payer::text[]
    JOIN allowance_parts part ON part.allowance_id = a.id AND part.held > 0
    GROUP BY a.id, total.cost
    HAVING count(*) = 1 AND min(part.held) >= total.cost
  )
  SELECT array_agg(id), array_agg(pool_id), array_agg(cost) INTO v_paying, v_pools, v_amounts FROM covered;
  -- A pool added meanwhile is not locked.
  IF EXISTS (SELECT unnest(v_pools) EXCEPT SELECT unnest(v_locked_pools)) THEN RAISE lock_not_available; END IF;

  IF cardinality(v_replaced_ids) > 0 THEN
    PERFORM FROM pending_settlements WHERE number = ANY(v_settlements) ORDER BY number FOR UPDATE;
    FOR v_old IN SELECT * FROM unnest(v_replaced_ids, v_settlements) AS old (request_id, settlement) LOOP
      -- A settlement changed here is not summed meanwhile.
      UPDATE pending_settlements SET first_ended_at = least(first_ended_at, r.ended_at),
        last_ended_at = greatest(last_ended_at, r.ended_at)
      FROM unnest(p_request_ids, p_ended_at) AS r (request_id, ended_at)
      WHERE number = v_old.settlement AND r.request_id = v_old.request_id;
      IF NOT FOUND THEN v_summed_ids := v_summed_ids || v_old.request_id; END IF;
    END LOOP;
    SELECT array_agg(r) INTO v_summed FROM usage_records r
    WHERE request_id = ANY(v_summed_ids)
      AND (arrival = '' OR arrival BETWEEN v_first_arrival AND v_last_arrival);
    DELETE FROM usage_records
    WHERE request_id = ANY(v_replaced_ids)
      AND (arrival = '' OR arrival BETWEEN v_first_arrival AND v_last_arrival);
  END IF;
  INSERT INTO usage_records (
    request_id, account_id, seat_id, team_id, key_id, model_id, capability, price_version, input_tokens,
    cached_input_tokens, output_tokens, images, characters, audio_ms, search_units, cache_write_tokens,
    cache_write_1h_tokens, audio_input_tokens, image_input_tokens, reasoning_tokens, audio_output_tokens,
    image_output_tokens, web_search_requests, tool_calls, parts, usage_source, billing_reason, held, cost,
    charged, uncollected, attempts, ended_at, is_provisional, client_status, client_error_code, settlement,
    pool_id, arrival
  )
  SELECT request_id, account_id, seat_id, team_id, key_id, model_id, capability, price_version,
    p_units[at + 1], p_units[at + 2], p_units[at + 3], p_units[at + 4], p_units[at + 5], p_units[at + 6],
    p_units[at + 7], p_units[at + 8], p_units[at + 9], p_units[at + 10], p_units[at + 11], p_units[at + 12],
    p_units[at + 13], p_units[at + 14], p_units[at + 15], p_units[at + 16],
    parts, usage_source, billing_reason, held, cost,
    CASE WHEN pool_id IS NULL THEN 0 ELSE cost END, CASE WHEN pool_id IS NULL THEN cost ELSE 0 END, attempts,
    ended_at, p_provisional, client_status, client_error_code, v_settlement, pool_id,
    CASE WHEN arrival_of(request_id) COLLATE "C" BETWEEN v_earliest AND v_latest THEN arrival_of(request_id) ELSE '' END
  FROM unnest(
    p_request_ids, p_allowances, p_accounts, p_seats, p_teams, p_keys, p_models, p_capabilities, p_price_versions,
    p_parts, p_usage_sources, p_billing_reasons, p_held, p_costs, p_attempts, p_ended_at, p_client_statuses,
    p_client_error_codes
  ) WITH ORDINALITY AS r (
    request_id, allowance_id, account_id, seat_id, team_id, key_id, model_id, capability, price_version, parts,
    usage_source, billing_reason, held, cost, attempts, ended_at, client_status, client_error_code, place
  )
  LEFT JOIN unnest(v_paying, v_pools) AS paying (id, pool_id)
    ON paying.id = allowance_id AND cost > 0 AND request_id <> ALL(v_replaced_ids),
  LATERAL (SELECT (16 * (place - 1))::int) AS units (at)
  WHERE request_id <> ALL(v_known_ids)
  -- Waits for anybody storing one of them, too.
  ORDER BY place;
  IF v_new_ids <> '{}' THEN
    SELECT min(ended_at), max(ended_at) INTO v_first, v_last FROM unnest(p_ended_at) AS r (ended_at);
    v_is_late := v_first <= now() - interval '5 minutes';
    IF NOT v_is_late THEN
      INSERT INTO pending_settlements (number, first_ended_at, last_ended_at, request_ids)
      VALUES (v_settlement, v_first, v_last, v_new_ids);
    END IF;
  END IF;
  -- By the second suffices, and whoever holds the lock is using it.
  UPDATE allowances SET used_at = now() WHERE NOT p_provisional AND id IN (
    SELECT id FROM allowances
    WHERE id IN (SELECT DISTINCT unnest(p_allowances)) AND used_at < now() - interval '1 second'
    FOR UPDATE SKIP LOCKED
  );
  v_checkpoints := ARRAY(
    SELECT request_id FROM usage_checkpoints WHERE request_id = ANY(p_request_ids) ORDER BY request_id FOR UPDATE
  );
  IF v_checkpoints <> '{}' THEN DELETE FROM usage_checkpoints WHERE request_id = ANY(v_checkpoints); END IF;

  WITH due AS (
    SELECT * FROM unnest(v_paying, v_pools, v_amounts) AS r (allowance_id, pool_id, amount)
  ), parts AS (
    UPDATE allowance_parts part SET held = held - due.amount FROM due
    WHERE part.allowance_id = due.allowance_id AND part.pool_id = due.pool_id
  ), sums AS (
    SELECT pool_id, sum(amount) AS amount FROM due GROUP BY 1
  ), charges AS (
    UPDATE pools SET held = held - sums.amount, charged = charged + sums.amount FROM sums WHERE id = pool_id
  )
  INSERT INTO ledger_entries (pool_id, kind, amount, settlement)
  SELECT pool_id, 'charge', -amount, v_settlement FROM sums;
  FOR v_record IN
    SELECT request_id, allowance_id, payer
    FROM unnest(p_request_ids, p_allowances, p_payers, p_costs) AS r (request_id, allowance_id, payer, cost)
    WHERE cost > 0 AND (allowance_id = ANY(v_paying)) IS NOT TRUE
      AND request_id <> ALL(v_known_ids || v_replaced_ids)
  LOOP
    PERFORM charge_request(v_record.request_id, v_record.allowance_id, v_record.payer::text[]);
  END LOOP;
  -- Charges stay in the settlement that made them.
  FOR v_old IN
    SELECT * FROM unnest(v_replaced_ids, v_settlements, v_payers, v_charged, v_charges)
      AS old (request_id, settlement, pool_id, charged, charges)
  LOOP
    UPDATE usage_records SET
      settlement = v_old.settlement, pool_id = v_old.pool_id, charges = v_old.charges, charged = v_old.charged,
      cost = greatest(cost, v_old.charged), uncollected = greatest(cost - v_old.charged, 0)
    WHERE request_id = v_old.request_id AND arrival IN ('', arrival_of(v_old.request_id));
    PERFORM charge_request(v_old.request_id, allowance_id, payer::text[])
    FROM unnest(p_request_ids, p_allowances, p_payers) AS r (request_id, allowance_id, payer)
    WHERE request_id = v_old.request_id;
  END LOOP;
  -- Reads of usage include all records since the first pending one, so late reports are summed at once.
  IF v_is_late OR v_summed_ids <> '{}' THEN
    PERFORM sum_up(CASE WHEN v_is_late THEN v_new_ids ELSE '{}' END || v_summed_ids, v_summed);
  END IF;
EXCEPTION WHEN unique_violation OR lock_not_available THEN
  IF p_provisional AND SQLSTATE = '55P03' THEN RAISE; END IF;
  -- Somebody stored one of the requests, or locked a pool added meanwhile. Retry: it is known now, and all
  -- locks of this attempt are free.
  PERFORM settle_records(
    p_request_ids, p_allowances, p_payers, p_accounts, p_seats, p_teams, p_keys, p_models, p_capabilities,
    p_price_versions, p_units, p_parts, p_usage_sources, p_billing_reasons, p_held, p_costs, p_attempts, p_ended_at,
    p_client_statuses, p_client_error_codes, p_provisional
  );
END
$$;

-- Adds usage records to the sums, and subtracts replaced ones. Excludes widen_rollups meanwhile, so that each
-- record reaches hours and days once.
--   p_request_ids  records to add
--   p_replaced     replaced records, as the sums have them; null: none
CREATE OR REPLACE FUNCTION sum_up(p_request_ids text[], p_replaced usage_records[]) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  v_until timestamptz;
BEGIN
  SELECT until INTO STRICT v_until FROM rollup_watermark FOR SHARE;
  PERFORM add_sums(p_request_ids, p_replaced, v_until, v_until);
END
$$;

-- Takes back unused money of an allowance, for the pool charged last first. The caller has locked its payer's
-- pools or those it holds money of; one added since is locked without waiting.
--   p_returned  total the data plane has returned; repeated reports count once
--   p_recall    the recall being answered; 0: none
--   p_close     everything is returned, and nothing can be granted any more
--   p_granted   total the data plane knows of. While a grant is on its way, its recall stays open; null: all
-- @throws lock_not_available
CREATE OR REPLACE FUNCTION take_back_allowance(
  p_id text, p_returned bigint, p_recall int, p_close boolean, p_granted bigint,
  OUT granted bigint, OUT closed boolean
)
LANGUAGE plpgsql AS $$
DECLARE
  v_allowance allowances;
  v_recall int := p_recall;
  v_returned bigint;
  v_due bigint;
  v_take bigint;
  v_part record;
BEGIN
  SELECT * INTO v_allowance FROM allowances WHERE id = p_id FOR UPDATE;
  -- Nobody else changes its money from here on.
  PERFORM FROM pools WHERE id IN (
    SELECT part.pool_id FROM allowance_parts part WHERE part.allowance_id = p_id AND part.held > 0
  ) ORDER BY id FOR UPDATE NOWAIT;
  granted := coalesce(v_allowance.granted, 0);
  closed := v_allowance.id IS NULL OR v_allowance.closed_at IS NOT NULL;
  IF closed THEN RETURN; END IF;
  IF p_granted < granted THEN v_recall := 0; END IF;
  v_returned := greatest(least(p_returned, granted), v_allowance.returned);
  v_due := v_returned - v_allowance.returned;
  FOR v_part IN
    SELECT part.pool_id, part.held
    FROM payer_pools(v_allowance.payer) WITH ORDINALITY AS p
    JOIN allowance_parts part ON part.pool_id = p.id AND part.allowance_id = p_id
    WHERE part.held > 0 ORDER BY p.ordinality DESC
  LOOP
    v_take := CASE WHEN p_close THEN v_part.held ELSE least(v_due, v_part.held) END;
    CONTINUE WHEN v_take = 0;
    UPDATE allowance_parts SET held = held - v_take WHERE allowance_id = p_id AND pool_id = v_part.pool_id;
    UPDATE pools SET held = held - v_take, remaining = remaining + v_take WHERE id = v_part.pool_id;
    v_due := v_due - v_take;
  END LOOP;
  UPDATE allowances SET returned = v_returned, answered = greatest(answered, v_recall),
    exact = exact OR (v_recall > 0 AND v_recall >= recall), used_at = now(), closed_at = CASE WHEN p_close THEN now() END
  WHERE id = p_id;
  IF p_close THEN
    closed := true;
    -- Locked: being settled, or late.
    DELETE FROM usage_checkpoints WHERE request_id IN (
      SELECT request_id FROM usage_checkpoints WHERE allowance_id = p_id FOR UPDATE SKIP LOCKED
    );
  END IF;
  IF v_recall > 0 OR p_close THEN PERFORM pg_notify('gateway_returns', ''); END IF;
END
$$;

-- Adds the next p_minutes minutes to their hours and days, once they ended three minutes ago, when nearly all
-- requests are settled and summed. One caller at a time, and not during sum_up.
-- @returns false when too few minutes are due, or another transaction is in the way
CREATE OR REPLACE FUNCTION widen_rollups(p_minutes int) RETURNS boolean
LANGUAGE plpgsql SET enable_seqscan = off SET jit = off AS $$
DECLARE
  v_from timestamptz;
  v_until timestamptz;
BEGIN
  IF NOT pg_try_advisory_xact_lock(hashtext('roll_up_settlements')) THEN RETURN false; END IF;
  SELECT until INTO v_from FROM rollup_watermark FOR UPDATE SKIP LOCKED;
  -- An idle or stopped gateway leaves many empty minutes.
  SELECT min(bucket) + make_interval(mins => p_minutes) INTO v_until
  FROM usage_rollups WHERE width = 60 AND bucket >= v_from;
  IF v_until IS NULL OR v_until > now() - interval '3 minutes' THEN RETURN false; END IF;
  PERFORM add_sums('{}', NULL, v_from, v_until);
  UPDATE rollup_watermark SET until = v_until;
  RETURN true;
END
$$;
