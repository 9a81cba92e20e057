-- Finds teams by the beginning of their name.
CREATE INDEX CONCURRENTLY "teams_lower_name_idx" ON "teams"(lower("name") text_pattern_ops);
