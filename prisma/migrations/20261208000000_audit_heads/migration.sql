-- Time of the last line of the log with the heads of the audit log.
ALTER TABLE "installation" ADD COLUMN "audit_heads_logged_at" TIMESTAMPTZ(3);

