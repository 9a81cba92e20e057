-- Finds the keys that share the rules of a key.
CREATE INDEX CONCURRENTLY "api_keys_first_key_id_idx" ON "api_keys"("first_key_id");
