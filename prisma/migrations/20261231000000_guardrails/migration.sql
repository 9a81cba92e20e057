-- Checks of chats, as in the catalog file, and the models that they check.
CREATE TABLE "guardrails" (
    "id" TEXT NOT NULL,
    "definition" JSONB NOT NULL,

    CONSTRAINT "guardrails_pkey" PRIMARY KEY ("id")
);

ALTER TABLE "models" ADD COLUMN "guardrails" TEXT[] DEFAULT ARRAY[]::TEXT[];
