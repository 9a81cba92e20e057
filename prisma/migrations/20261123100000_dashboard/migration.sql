-- AlterTable
ALTER TABLE "accounts" ADD COLUMN     "sign_in_id" TEXT;

-- AlterTable
ALTER TABLE "api_keys" ADD COLUMN     "expires_at" TIMESTAMPTZ(3),
ADD COLUMN     "kind" TEXT NOT NULL DEFAULT 'issued';

-- CreateTable
CREATE TABLE "password_resets" (
    "account_id" TEXT NOT NULL,
    "token_hash" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "password_resets_pkey" PRIMARY KEY ("account_id")
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
CREATE UNIQUE INDEX "password_resets_token_hash_key" ON "password_resets"("token_hash");

-- CreateIndex
CREATE UNIQUE INDEX "dashboard_users_email_key" ON "dashboard_users"("email");

-- CreateIndex
CREATE UNIQUE INDEX "dashboard_sessions_token_key" ON "dashboard_sessions"("token");

-- CreateIndex
CREATE INDEX "dashboard_sessions_user_id_idx" ON "dashboard_sessions"("user_id");

-- CreateIndex
CREATE INDEX "dashboard_credentials_user_id_idx" ON "dashboard_credentials"("user_id");

-- CreateIndex
CREATE INDEX "dashboard_verifications_identifier_idx" ON "dashboard_verifications"("identifier");

-- CreateIndex
CREATE UNIQUE INDEX "dashboard_rate_limits_key_key" ON "dashboard_rate_limits"("key");

-- CreateIndex
CREATE UNIQUE INDEX "accounts_sign_in_id_key" ON "accounts"("sign_in_id");

-- CreateIndex
CREATE INDEX "usage_records_account_id_ended_at_idx" ON "usage_records"("account_id", "ended_at");

-- CreateIndex
CREATE INDEX "usage_records_key_id_ended_at_idx" ON "usage_records"("key_id", "ended_at");

-- AddForeignKey
ALTER TABLE "password_resets" ADD CONSTRAINT "password_resets_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "dashboard_sessions" ADD CONSTRAINT "dashboard_sessions_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "dashboard_users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "dashboard_credentials" ADD CONSTRAINT "dashboard_credentials_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "dashboard_users"("id") ON DELETE CASCADE ON UPDATE CASCADE;


-- What the schema language cannot say.
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_kind" CHECK (
  "kind" IN ('issued', 'playground', 'demo') AND ("kind" = 'playground') = ("expires_at" IS NOT NULL)
);
ALTER TABLE "ledger_entries" DROP CONSTRAINT "ledger_entries_kind";
ALTER TABLE "ledger_entries" ADD CONSTRAINT "ledger_entries_kind" CHECK (
  "kind" IN ('included', 'charge', 'reset', 'moved') AND ("kind" = 'charge') = ("request_id" IS NOT NULL)
);

-- Takes what nobody has used from a pool and makes another one of it, full again when that one is. Money that is held
-- stays where it is: when it is missing, it is asked back from whoever holds it unused.
--   p_account_id, p_team_id, p_seat_id   whose the new pool is: exactly one is given
--   moved      whether there was enough; without that nothing has changed
--   recalls    what others have been asked for, as in acquire_allowance; without any, more cannot be had now
--   remaining, held   of the pool that the money comes from
CREATE FUNCTION move_pool_money(
  p_from text, p_amount bigint, p_to text, p_name text, p_account_id text, p_team_id text, p_seat_id text,
  OUT moved boolean, OUT recalls jsonb, OUT remaining bigint, OUT held bigint
)
LANGUAGE plpgsql AS $$
DECLARE
  v_resets_at timestamptz;
BEGIN
  PERFORM lock_pools(ARRAY[p_from]);
  SELECT p.remaining, p.held, p.resets_at INTO move_pool_money.remaining, move_pool_money.held, v_resets_at
  FROM pools p WHERE p.id = p_from;
  moved := coalesce(p_amount > 0 AND p_amount <= remaining, false);
  IF moved THEN
    remaining := remaining - p_amount;
    UPDATE pools p SET included = p.included - p_amount, remaining = p.remaining - p_amount WHERE p.id = p_from;
    INSERT INTO pools (id, name, account_id, team_id, seat_id, included, remaining, resets_at)
    VALUES (p_to, p_name, p_account_id, p_team_id, p_seat_id, p_amount, p_amount, v_resets_at);
    INSERT INTO ledger_entries (pool_id, kind, amount)
    VALUES (p_from, 'moved', -p_amount), (p_to, 'moved', p_amount);
  ELSIF p_amount <= remaining + held THEN
    SELECT jsonb_agg(r) INTO recalls FROM recall_allowances(ARRAY[p_from], '') r;
  END IF;
  recalls := coalesce(recalls, '[]');
END
$$;
