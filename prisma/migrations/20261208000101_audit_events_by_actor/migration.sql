-- Finds the events of an actor.
CREATE INDEX CONCURRENTLY "audit_events_actor_id_at_idx" ON "audit_events"((actor->>'id'), "at") WHERE actor->>'id' IS NOT NULL;
