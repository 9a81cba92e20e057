-- Stores how data planes can follow the responses of provisional records, once each.
--   p_followed  as in followed_responses; null: nothing to follow
CREATE OR REPLACE FUNCTION store_followed(p_request_ids text[], p_followed text[]) RETURNS void
LANGUAGE sql SET enable_seqscan = off AS $$
  INSERT INTO followed_responses (request_id, followed)
  SELECT given.request_id, given.followed
  FROM unnest(p_request_ids, p_followed) AS given (request_id, followed), LATERAL (
    SELECT FROM usage_records r
    WHERE r.request_id = given.request_id AND r.arrival IN ('', arrival_of(given.request_id)) AND r.is_provisional
    LIMIT 1
  ) AS stored
  WHERE given.followed IS NOT NULL
  ORDER BY given.request_id COLLATE "C"
  ON CONFLICT DO NOTHING
$$;
