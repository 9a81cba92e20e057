-- How a provider differs from OpenAI's API, as in the catalog file.
ALTER TABLE "providers" ADD COLUMN "traits" JSONB;
