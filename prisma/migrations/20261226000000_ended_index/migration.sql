-- Lists requests of all accounts by their end. An expression, so that no list of one account or key is read
-- along this index, through requests of others.
CREATE INDEX CONCURRENTLY "usage_records_ended_idx" ON "usage_records" (("ended_at" AT TIME ZONE 'UTC'));
