-- Other names of models, models that are asked when one cannot answer, and names for several models.
-- AlterTable
ALTER TABLE "models" ADD COLUMN "aliases" TEXT[] DEFAULT ARRAY[]::TEXT[],
ADD COLUMN "fallbacks" TEXT[] DEFAULT ARRAY[]::TEXT[];

-- CreateTable
CREATE TABLE "virtual_models" (
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT NOT NULL,
    "models" JSONB NOT NULL,
    "aliases" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "fallbacks" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "deprecated_at" TIMESTAMPTZ(3),
    "retired_at" TIMESTAMPTZ(3),

    CONSTRAINT "virtual_models_pkey" PRIMARY KEY ("id")
);
