-- Finds an object by its external id, once per account.
CREATE UNIQUE INDEX CONCURRENTLY "api_keys_account_id_external_id_key" ON "api_keys"("account_id", "external_id");
