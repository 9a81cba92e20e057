-- Lists the keys of all accounts.
CREATE INDEX CONCURRENTLY "api_keys_created_at_id_idx" ON "api_keys"("created_at", "id");
