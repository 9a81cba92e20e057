-- Finds seats by their external id in all teams.
CREATE INDEX CONCURRENTLY "seats_external_id_idx" ON "seats"("external_id");
