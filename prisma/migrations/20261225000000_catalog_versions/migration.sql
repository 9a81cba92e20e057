-- Keeps the catalogs that were in force, so that an operator can compare and apply them again.
CREATE TABLE "catalog_versions" (
    "revision" BIGINT NOT NULL,
    "document" JSONB NOT NULL,
    "changes" JSONB,
    "action" TEXT,
    "actor" JSONB,
    "applied_at" TIMESTAMPTZ(3),

    CONSTRAINT "catalog_versions_pkey" PRIMARY KEY ("revision")
);

-- Open circuit breakers and refused credentials, as each data plane last reported them.
CREATE TABLE "provider_reports" (
    "instance_id" TEXT NOT NULL,
    "breakers" JSONB NOT NULL,
    "refused" JSONB NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "provider_reports_pkey" PRIMARY KEY ("instance_id")
);
