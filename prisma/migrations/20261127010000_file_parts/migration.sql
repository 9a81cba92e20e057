-- Input tokens reserved for a recording or a file of a chat.
ALTER TABLE "models" ADD COLUMN "tokens_per_file_part" INTEGER;
