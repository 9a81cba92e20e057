-- Finds the events of an actor by its e-mail address.
CREATE INDEX CONCURRENTLY "audit_events_actor_email_at_idx" ON "audit_events"((actor->>'email'), "at") WHERE actor->>'email' IS NOT NULL;
