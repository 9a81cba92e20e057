-- Finds keys by their external id in all accounts.
CREATE INDEX CONCURRENTLY "api_keys_external_id_idx" ON "api_keys"("external_id");
