-- Returns what ended requests of a payer cost beyond all its pools, until these have that much again.
-- Volatile, so that a statement which also calls grant_allowance reads what that has changed.
CREATE OR REPLACE FUNCTION uncollected_of(p_payer text[]) RETURNS bigint
LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN (SELECT coalesce(sum(uncollected), 0) FROM payer_pools(p_payer));
END
$$;
