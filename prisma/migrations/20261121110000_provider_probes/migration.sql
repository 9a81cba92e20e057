-- CreateTable
CREATE TABLE "provider_probes" (
    "provider_id" TEXT NOT NULL,
    "instance_id" TEXT NOT NULL,
    "outcome" TEXT NOT NULL,
    "failures" INTEGER NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "provider_probes_pkey" PRIMARY KEY ("provider_id","instance_id")
);

-- What Prisma's schema language cannot say.

ALTER TABLE "provider_probes" ADD CONSTRAINT "provider_probes_outcome" CHECK (
  "outcome" IN ('ok', 'refused', 'failed') AND ("outcome" = 'failed') = ("failures" > 0) AND "failures" >= 0
);
