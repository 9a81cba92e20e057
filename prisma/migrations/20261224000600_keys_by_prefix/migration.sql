-- Finds keys by the beginning of what lists show of them.
CREATE INDEX CONCURRENTLY "api_keys_lower_display_prefix_idx" ON "api_keys"(lower("display_prefix") text_pattern_ops);
