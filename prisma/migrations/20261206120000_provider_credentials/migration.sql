-- All variables of a provider that names several. A release that does not know them goes on using the first.
-- AlterTable
ALTER TABLE "providers" ADD COLUMN "credential_envs" TEXT[] DEFAULT ARRAY[]::TEXT[];
