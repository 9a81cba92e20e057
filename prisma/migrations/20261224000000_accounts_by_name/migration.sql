-- Finds accounts by the beginning of their name.
CREATE INDEX CONCURRENTLY "accounts_lower_name_idx" ON "accounts"(lower("name") text_pattern_ops);
