-- Records are settled in sets: the ledger has one entry for each pool that pays for a set, the records say who has paid
-- what of it, and the sums of usage follow within a minute. What the release before has stored has no settlement.
-- AlterTable
ALTER TABLE "usage_records"
  ADD COLUMN "settlement" BIGINT,
  ADD COLUMN "pool_id" TEXT,
  ADD COLUMN "charges" JSONB;

-- AlterTable
ALTER TABLE "ledger_entries" ADD COLUMN "settlement" BIGINT;

-- What the schema language cannot say. The rows that are there have passed the check of before, so they need not be read,
-- which would lock the table for as long: NOT VALID.
ALTER TABLE "ledger_entries" DROP CONSTRAINT "ledger_entries_kind";
ALTER TABLE "ledger_entries" ADD CONSTRAINT "ledger_entries_kind" CHECK (
  "kind" IN ('included', 'charge', 'reset', 'moved', 'changed', 'removed')
  AND ("kind" = 'charge') = (num_nonnulls("request_id", "settlement") = 1)
) NOT VALID;

-- CreateTable
CREATE TABLE "pending_settlements" (
    "number" BIGSERIAL NOT NULL,
    "first_ended_at" TIMESTAMPTZ(3) NOT NULL,
    "last_ended_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "pending_settlements_pkey" PRIMARY KEY ("number")
);

-- The sums of an hour and a day are changed once a minute. With room on their pages, no index has to be changed with them.
ALTER TABLE "usage_rollups" SET (fillfactor = 70);
