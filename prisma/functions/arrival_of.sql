-- When a request arrived, as its id says it: eight base62 characters of the millisecond, which sort like the
-- time (newRequestId).
CREATE OR REPLACE FUNCTION arrival_of(p_request_id text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT substr(p_request_id, 5, 8) $$;
