-- Time of the last line with the heads of the audit log, and events by object.
ALTER TABLE "installation" ADD COLUMN "audit_heads_logged_at" TIMESTAMPTZ(3);

CREATE INDEX "audit_events_object_id_at_idx" ON "audit_events"("object_id", "at");
