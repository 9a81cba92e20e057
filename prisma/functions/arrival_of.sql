-- Returns the arrival in a request id: eight base62 characters of the millisecond, which sort by time
-- (newRequestId).
CREATE OR REPLACE FUNCTION arrival_of(p_request_id text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT substr(p_request_id, 5, 8) $$;
