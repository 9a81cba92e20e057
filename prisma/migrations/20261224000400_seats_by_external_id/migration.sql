-- Finds seats of any account by their external id.
CREATE INDEX CONCURRENTLY "seats_external_id_idx" ON "seats"("external_id");
