-- Finds members by the beginning of their name.
CREATE INDEX CONCURRENTLY "account_members_lower_name_idx" ON "account_members"(lower("name") text_pattern_ops);
