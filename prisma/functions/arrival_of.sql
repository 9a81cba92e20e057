-- When a request arrived, as its id says it: eight base62 characters of the millisecond, which sort like the
-- time (newRequestId). Empty: the id does not tell. Those of the release before are random, so that a few of
-- them seem to tell, too.
--
-- Records are stored in a partition for each day of this.
CREATE OR REPLACE FUNCTION arrival_of(p_request_id text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE
    WHEN p_request_id COLLATE "C" >= 'req_0V' AND p_request_id COLLATE "C" < 'req_1' THEN substr(p_request_id, 5, 8)
    ELSE ''
  END
$$;
