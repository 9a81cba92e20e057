-- Finds members by the beginning of their address.
CREATE INDEX CONCURRENTLY "account_members_lower_email_idx" ON "account_members"(lower("email") text_pattern_ops);
