-- Counts the accounts and keys that used a model, for the plan of a catalog.
CREATE INDEX CONCURRENTLY "usage_rollups_model_id_bucket_idx" ON "usage_rollups"("model_id", "bucket") INCLUDE ("account_id", "key_id") WHERE "width" = 86400;
