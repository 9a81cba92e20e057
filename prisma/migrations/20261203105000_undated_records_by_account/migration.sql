-- Lists of requests are read along the indexes of accounts and keys. No plan may prefer this one.
DROP INDEX CONCURRENTLY "usage_records_undated_ended_at_idx";
