-- Second factors of the dashboard's sign-ins, and what its sessions prove. Sessions from before have proved
-- nothing.
ALTER TABLE "dashboard_users" ADD COLUMN "two_factor_enabled" BOOLEAN NOT NULL DEFAULT false;

ALTER TABLE "dashboard_sessions" ADD COLUMN "proved_at" TIMESTAMPTZ(3) NOT NULL DEFAULT 'epoch',
ADD COLUMN "used_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
ADD COLUMN "active_account_id" TEXT;
ALTER TABLE "dashboard_sessions" ALTER COLUMN "proved_at" SET DEFAULT CURRENT_TIMESTAMP;

-- CreateTable
CREATE TABLE "dashboard_two_factors" (
    "id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "secret" TEXT NOT NULL,
    "backup_codes" TEXT NOT NULL,
    "verified" BOOLEAN NOT NULL DEFAULT true,
    "failed_verification_count" INTEGER NOT NULL DEFAULT 0,
    "locked_until" TIMESTAMPTZ(3),

    CONSTRAINT "dashboard_two_factors_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "dashboard_passkeys" (
    "id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "public_key" BYTEA NOT NULL,
    "counter" BIGINT NOT NULL,
    "transports" TEXT[],
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "used_at" TIMESTAMPTZ(3),

    CONSTRAINT "dashboard_passkeys_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "dashboard_two_factors_user_id_key" ON "dashboard_two_factors"("user_id");

-- CreateIndex
CREATE INDEX "dashboard_passkeys_user_id_idx" ON "dashboard_passkeys"("user_id");

-- AddForeignKey
ALTER TABLE "dashboard_two_factors" ADD CONSTRAINT "dashboard_two_factors_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "dashboard_users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "dashboard_passkeys" ADD CONSTRAINT "dashboard_passkeys_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "dashboard_users"("id") ON DELETE CASCADE ON UPDATE CASCADE;
