-- Where and when the prices of a model were found, as in the catalog file.
ALTER TABLE "models" ADD COLUMN "prices_from" JSONB;
