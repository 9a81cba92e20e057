-- When a request arrived, as its id says it: eight base62 characters of the millisecond, which sort like the
-- time (newRequestId). Ids of the release before are random, and what they say means nothing.
CREATE OR REPLACE FUNCTION arrival_of(p_request_id text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT substr(p_request_id, 5, 8) $$;
