-- Finds the keys of a member.
CREATE INDEX CONCURRENTLY "api_keys_member_id_idx" ON "api_keys"("member_id");
