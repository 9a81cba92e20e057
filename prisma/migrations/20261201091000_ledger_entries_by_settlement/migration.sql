-- One entry for each pool that pays for a settlement.
CREATE UNIQUE INDEX CONCURRENTLY "ledger_entries_settlement_pool_id_key" ON "ledger_entries"("settlement", "pool_id")
  WHERE "settlement" IS NOT NULL;
