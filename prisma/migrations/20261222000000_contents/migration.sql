-- Keys that encrypt contents of requests: one for each time an owner turns them on.
CREATE TABLE "contents_keys" (
  "id" BIGSERIAL NOT NULL,
  "account_id" TEXT NOT NULL,
  "days" INTEGER NOT NULL,
  "sealed" BYTEA,
  "previous_sealed" BYTEA,
  "pepper_fingerprint" TEXT NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "contents_keys_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "contents_keys_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts" ("id")
    ON DELETE CASCADE ON UPDATE CASCADE,
  CONSTRAINT "contents_keys_days" CHECK ("days" BETWEEN 1 AND 30)
);
CREATE INDEX "contents_keys_account_id_idx" ON "contents_keys" ("account_id");
-- An account has at most one that is in use.
CREATE UNIQUE INDEX "contents_keys_in_use" ON "contents_keys" ("account_id") WHERE "sealed" IS NOT NULL;

CREATE TABLE "request_contents" (
  "key_id" BIGINT NOT NULL,
  "request_id" TEXT NOT NULL,
  "stored_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "sealed" BYTEA NOT NULL,
  CONSTRAINT "request_contents_pkey" PRIMARY KEY ("key_id", "request_id"),
  CONSTRAINT "request_contents_key_id_fkey" FOREIGN KEY ("key_id") REFERENCES "contents_keys" ("id")
    ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX "request_contents_key_id_stored_at_idx" ON "request_contents" ("key_id", "stored_at");
-- It is compressed before it is encrypted.
ALTER TABLE "request_contents" ALTER COLUMN "sealed" SET STORAGE EXTERNAL;
