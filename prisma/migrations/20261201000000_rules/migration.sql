-- Rules of keys, seats, teams, accounts and end users, and their budgets.
ALTER TABLE "accounts"
    ADD COLUMN "timezone" TEXT NOT NULL DEFAULT 'UTC',
    ADD COLUMN "week_starts" TEXT NOT NULL DEFAULT 'monday',
    ADD COLUMN "end_users_version" INTEGER NOT NULL DEFAULT 0;

ALTER TABLE "api_keys" ADD COLUMN "tags" JSONB;

CREATE TABLE "rules" (
    "owner" TEXT NOT NULL,
    "rules" JSONB NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "rules_pkey" PRIMARY KEY ("owner")
);

CREATE TABLE "budgets" (
    "id" TEXT NOT NULL,
    "owner" TEXT NOT NULL,
    "position" INTEGER NOT NULL,
    "limit" BIGINT NOT NULL,
    "window" TEXT NOT NULL,
    "warns" BOOLEAN NOT NULL DEFAULT false,
    "temporary_limit" BIGINT,
    "temporary_until" TIMESTAMPTZ(3),

    CONSTRAINT "budgets_pkey" PRIMARY KEY ("id")
);

CREATE INDEX "budgets_owner_idx" ON "budgets"("owner");

ALTER TABLE "budgets" ADD CONSTRAINT "budgets_window_check" CHECK ("window" IN ('day', 'week', 'month', 'total'));
