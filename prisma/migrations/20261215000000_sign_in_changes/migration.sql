-- Changes of sign-ins in the dashboard that the audit log does not have yet.
CREATE TABLE "dashboard_sign_in_changes" (
    "position" BIGSERIAL NOT NULL,
    "event_id" TEXT NOT NULL,
    "action" TEXT NOT NULL,
    "email" TEXT NOT NULL,
    "sign_in_id" TEXT,
    "object_type" TEXT,
    "object_id" TEXT,
    "object_name" TEXT,
    "client_ip" TEXT NOT NULL,
    "request_id" TEXT NOT NULL,
    "changed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "dashboard_sign_in_changes_pkey" PRIMARY KEY ("position")
);
