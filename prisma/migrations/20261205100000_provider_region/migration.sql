-- The region in which a provider is asked, for the kinds that have one.
-- AlterTable
ALTER TABLE "providers" ADD COLUMN "region" TEXT;
