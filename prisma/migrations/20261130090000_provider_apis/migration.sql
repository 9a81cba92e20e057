-- The APIs that a provider has for chats, where it has more than every one of its kind.
-- AlterTable
ALTER TABLE "providers" ADD COLUMN "apis" TEXT[] DEFAULT ARRAY[]::TEXT[];
