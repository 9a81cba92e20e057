-- Weights of a provider's credentials, and models whose conversations are not kept together.
ALTER TABLE "providers" ADD COLUMN "credential_weights" INTEGER[] DEFAULT ARRAY[]::INTEGER[];
ALTER TABLE "models" ADD COLUMN "affinity" TEXT;
ALTER TABLE "virtual_models" ADD COLUMN "affinity" TEXT;
