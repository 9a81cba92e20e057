-- AlterTable
ALTER TABLE "model_minutes" ADD COLUMN     "gave_up" INTEGER NOT NULL DEFAULT 0;

-- AlterTable
ALTER TABLE "provider_probes" ADD COLUMN     "changed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP;

-- CreateTable
CREATE TABLE "model_last_minutes" (
    "model_id" TEXT NOT NULL,
    "provider_id" TEXT NOT NULL,
    "minute" TIMESTAMPTZ(3) NOT NULL,
    "attempts" INTEGER NOT NULL,
    "failed_attempts" INTEGER NOT NULL,
    "requests" INTEGER NOT NULL,
    "failed_requests" INTEGER NOT NULL,
    "gave_up" INTEGER NOT NULL,

    CONSTRAINT "model_last_minutes_pkey" PRIMARY KEY ("model_id","provider_id")
);
