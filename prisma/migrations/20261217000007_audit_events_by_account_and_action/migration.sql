-- Finds the events of an account by their action.
CREATE INDEX CONCURRENTLY "audit_events_account_id_action_at_idx" ON "audit_events"("account_id", "action", "at");
