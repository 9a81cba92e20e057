-- AlterTable
ALTER TABLE "models" ADD COLUMN     "tokens_per_media_part" INTEGER;
