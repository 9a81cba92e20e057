-- Finds end users of any account by their external id.
CREATE INDEX CONCURRENTLY "end_users_external_id_idx" ON "end_users"("external_id");
