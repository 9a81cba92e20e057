-- Finds an account by its external id.
CREATE UNIQUE INDEX CONCURRENTLY "accounts_external_id_key" ON "accounts"("external_id");
