-- The key that all partitions have.
CREATE UNIQUE INDEX CONCURRENTLY "usage_records_request_id_arrival_key" ON "usage_records"("request_id", "arrival");
