-- Finds the events about an object.
CREATE INDEX CONCURRENTLY "audit_events_object_id_at_idx" ON "audit_events"("object_id", "at");
