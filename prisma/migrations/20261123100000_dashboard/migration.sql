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
CREATE INDEX "password_resets_expires_at_idx" ON "password_resets"("expires_at");

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

-- CreateIndex
CREATE UNIQUE INDEX "accounts_sign_in_id_key" ON "accounts"("sign_in_id");

-- CreateIndex
CREATE INDEX "api_keys_expires_at_idx" ON "api_keys"("expires_at");

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

-- Takes what nobody uses from a pool and gives it to another owner: into the pool of that name which it has already and
-- which is filled like this one (monthly or never), else into a new one.
--   p_to        id of the new pool
--   p_max       how many pools the owner may have; 0 of them are made beyond that
--   moved       false: so much is not left, or there are too many pools
--   too_many    there are
--   recalls     what others have been asked for, because too little is left, as in acquire_allowance
--   target      the pool that has got it
--   remaining, held   of the pool it comes from
CREATE FUNCTION move_pool_money(
  p_from text, p_amount bigint, p_to text, p_name text, p_account_id text, p_team_id text, p_seat_id text, p_max int,
  OUT moved boolean, OUT too_many boolean, OUT recalls jsonb, OUT target text, OUT remaining bigint, OUT held bigint
)
LANGUAGE plpgsql AS $$
DECLARE
  v_resets_at timestamptz;
BEGIN
  SELECT min(other.id) INTO target FROM pools source, pools other
  WHERE source.id = p_from AND other.id <> p_from AND other.name = p_name
    AND (other.resets_at IS NULL) = (source.resets_at IS NULL) AND other.account_id IS NOT DISTINCT FROM p_account_id
    AND other.team_id IS NOT DISTINCT FROM p_team_id AND other.seat_id IS NOT DISTINCT FROM p_seat_id;
  PERFORM lock_pools(array_remove(ARRAY[p_from, target], NULL));
  SELECT p.remaining, p.held, p.resets_at INTO move_pool_money.remaining, move_pool_money.held, v_resets_at
  FROM pools p WHERE p.id = p_from;
  too_many := target IS NULL AND p_max <= (
    SELECT count(*) FROM pools p WHERE p.account_id = p_account_id OR p.team_id = p_team_id OR p.seat_id = p_seat_id
  );
  moved := coalesce(p_amount > 0 AND p_amount <= remaining AND NOT too_many, false);
  IF moved THEN
    remaining := remaining - p_amount;
    UPDATE pools p SET included = p.included - p_amount, remaining = p.remaining - p_amount WHERE p.id = p_from;
    IF target IS NULL THEN
      target := p_to;
      INSERT INTO pools (id, name, account_id, team_id, seat_id, included, remaining, resets_at)
      VALUES (p_to, p_name, p_account_id, p_team_id, p_seat_id, p_amount, p_amount, v_resets_at);
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
