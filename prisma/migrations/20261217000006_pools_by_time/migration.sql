-- Lists the pools of all accounts.
CREATE INDEX CONCURRENTLY "pools_created_at_id_idx" ON "pools"("created_at", "id");
