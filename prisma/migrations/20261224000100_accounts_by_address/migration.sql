-- Finds accounts by the beginning of their address.
CREATE INDEX CONCURRENTLY "accounts_lower_email_idx" ON "accounts"(lower("email") text_pattern_ops);
