-- Credentials of providers that operators store at run time, encrypted with a key derived from the pepper.
CREATE TABLE "provider_credentials" (
    "name" TEXT NOT NULL,
    "pepper_fingerprint" TEXT NOT NULL,
    "sealed" BYTEA NOT NULL,
    "set_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "provider_credentials_pkey" PRIMARY KEY ("name", "pepper_fingerprint")
);
