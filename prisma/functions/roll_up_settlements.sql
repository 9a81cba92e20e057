-- For the previous release: rolls up settlements (roll_up_pending), which reports no events of them. So it
-- leaves them to this release while a webhook gets request.settled.
CREATE OR REPLACE FUNCTION roll_up_settlements(p_most int) RETURNS int
LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM webhook_endpoints WHERE 'request.settled' = ANY(events)) THEN RETURN 0; END IF;
  RETURN (SELECT settlements FROM roll_up_pending(p_most));
END
$$;
