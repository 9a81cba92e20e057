-- Each batch asks which of its requests are stored provisionally; nearly none are.
CREATE INDEX CONCURRENTLY "usage_records_provisional_idx" ON "usage_records"("request_id") WHERE "is_provisional";
