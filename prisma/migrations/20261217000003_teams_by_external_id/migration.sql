-- Finds teams by their external id in all accounts.
CREATE INDEX CONCURRENTLY "teams_external_id_idx" ON "teams"("external_id");
