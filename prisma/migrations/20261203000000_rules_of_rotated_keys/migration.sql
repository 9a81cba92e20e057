-- A rotated key shares rules and budgets with the keys that it replaced.
ALTER TABLE "api_keys" ADD COLUMN "first_key_id" TEXT;
