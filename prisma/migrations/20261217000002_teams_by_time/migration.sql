-- Lists the teams of all accounts.
CREATE INDEX CONCURRENTLY "teams_created_at_id_idx" ON "teams"("created_at", "id");
