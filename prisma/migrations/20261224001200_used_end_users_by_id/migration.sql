-- Finds end users with usage by the beginning of their id.
CREATE INDEX CONCURRENTLY "usage_label_days_end_user_idx" ON "usage_label_days"(lower("value") text_pattern_ops) WHERE "label" = 'end_user';
