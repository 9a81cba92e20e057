-- Finds an object by its external id, once per account.
CREATE UNIQUE INDEX CONCURRENTLY "seats_account_id_external_id_key" ON "seats"("account_id", "external_id");
