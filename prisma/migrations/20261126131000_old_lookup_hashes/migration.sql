-- CreateIndex
CREATE UNIQUE INDEX CONCURRENTLY "api_keys_previous_lookup_hash_key" ON "api_keys"("previous_lookup_hash");
