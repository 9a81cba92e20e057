-- Lists the seats of all teams.
CREATE INDEX CONCURRENTLY "seats_created_at_id_idx" ON "seats"("created_at", "id");
