-- Returns the id of the current transaction, as events and deliveries have it.
CREATE OR REPLACE FUNCTION event_transaction() RETURNS bigint
LANGUAGE sql AS $$
  SELECT pg_current_xact_id()::text::bigint + transaction_offset FROM installation
$$;
