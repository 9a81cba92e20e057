-- Finds an object by its external id, once per account.
CREATE UNIQUE INDEX CONCURRENTLY "teams_owner_account_id_external_id_key" ON "teams"("owner_account_id", "external_id");
