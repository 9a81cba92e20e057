-- AlterTable
ALTER TABLE "models" ADD COLUMN     "timeouts_ms" JSONB;

-- CreateTable
CREATE TABLE "waiting_calls" (
    "instance_id" TEXT NOT NULL,
    "model_id" TEXT NOT NULL,
    "provider_id" TEXT NOT NULL,
    "calls" INTEGER NOT NULL,
    "since" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "waiting_calls_pkey" PRIMARY KEY ("instance_id","model_id","provider_id")
);
