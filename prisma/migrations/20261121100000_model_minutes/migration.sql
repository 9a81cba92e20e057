-- CreateTable
CREATE TABLE "model_minutes" (
    "model_id" TEXT NOT NULL,
    "provider_id" TEXT NOT NULL,
    "minute" TIMESTAMPTZ(3) NOT NULL,
    "attempts" INTEGER NOT NULL,
    "failed_attempts" INTEGER NOT NULL,
    "requests" INTEGER NOT NULL,
    "failed_requests" INTEGER NOT NULL,
    "latency_buckets" INTEGER[],
    "first_token_buckets" INTEGER[],

    CONSTRAINT "model_minutes_pkey" PRIMARY KEY ("model_id","provider_id","minute")
);

-- CreateTable
CREATE TABLE "settled_batches" (
    "id" TEXT NOT NULL,
    "settled_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "settled_batches_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "model_minutes_minute_idx" ON "model_minutes"("minute");

-- CreateIndex
CREATE INDEX "settled_batches_settled_at_idx" ON "settled_batches"("settled_at");

-- What Prisma's schema language cannot say.

ALTER TABLE "model_minutes" ADD CONSTRAINT "model_minutes_counts" CHECK (
  "failed_attempts" BETWEEN 0 AND "attempts" AND "failed_requests" BETWEEN 0 AND "requests"
);
