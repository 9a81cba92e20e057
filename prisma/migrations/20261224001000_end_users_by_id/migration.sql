-- Finds end users of any account by the beginning of their id.
CREATE INDEX CONCURRENTLY "end_users_lower_id_idx" ON "end_users"(lower("id") text_pattern_ops);
