-- Finds keys of any account by their external id.
CREATE INDEX CONCURRENTLY "api_keys_external_id_idx" ON "api_keys"("external_id");
