-- What retention deletes is found by this one, which costs hardly anything. Only records without an arrival need it: the
-- partition of a day is dropped whole.
CREATE INDEX CONCURRENTLY "usage_records_undated_ended_at_brin" ON "usage_records_undated" USING brin ("ended_at");
