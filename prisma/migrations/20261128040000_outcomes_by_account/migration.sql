-- Whose requests failed, so that one account alone does not decide the status of a model.
ALTER TABLE "model_minutes" ADD COLUMN "accounts" JSONB NOT NULL DEFAULT '{}';
ALTER TABLE "model_last_minutes" ADD COLUMN "accounts" JSONB NOT NULL DEFAULT '{}';
