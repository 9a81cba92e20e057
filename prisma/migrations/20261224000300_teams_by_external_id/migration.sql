-- Finds teams of any account by their external id.
CREATE INDEX CONCURRENTLY "teams_external_id_idx" ON "teams"("external_id");
