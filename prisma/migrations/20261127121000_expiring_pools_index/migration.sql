-- Finds pools that expire (AllowanceStore.resetDuePools).
CREATE INDEX CONCURRENTLY "pools_removed_at_expires_at_idx" ON "pools"("removed_at", "expires_at");
