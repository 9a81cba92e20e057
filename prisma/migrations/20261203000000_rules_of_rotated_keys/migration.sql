-- A rotated key shares rules and budgets with the keys that it replaced.
ALTER TABLE "api_keys" ADD COLUMN "first_key_id" TEXT;

CREATE INDEX "api_keys_first_key_id_idx" ON "api_keys"("first_key_id");
