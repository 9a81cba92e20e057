-- Directives of the cache for the requests of a key. Null in existing rows: none.
ALTER TABLE "api_keys" ADD COLUMN "cache" TEXT;
