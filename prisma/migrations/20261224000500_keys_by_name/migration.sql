-- Finds keys by the beginning of their name.
CREATE INDEX CONCURRENTLY "api_keys_lower_name_idx" ON "api_keys"(lower("name") text_pattern_ops);
