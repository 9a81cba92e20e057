-- Counts the bytes of an account's contents, which are limited.
ALTER TABLE "contents_keys" ADD COLUMN "stored_bytes" BIGINT NOT NULL DEFAULT 0;
UPDATE "contents_keys" k SET "stored_bytes" = c.bytes FROM (
  SELECT key_id, sum(octet_length(sealed)) AS bytes FROM "request_contents" GROUP BY key_id
) AS c WHERE c.key_id = k.id;
