-- The pools that pay for a key, in the order in which they are drawn on: the seat's, then its team's; any
-- other key's account's. Within a level the soonest to be reset first. Of those that were removed only the
-- ones of which something is still set aside are among them, until that is charged or given back.
CREATE OR REPLACE FUNCTION payer_pools(p_account_id text, p_seat_id text, p_team_id text) RETURNS SETOF pools
LANGUAGE sql STABLE AS $$
  SELECT * FROM pools
  WHERE (
    (p_seat_id IS NULL AND account_id = p_account_id)
    OR seat_id = p_seat_id
    OR (p_seat_id IS NOT NULL AND team_id = p_team_id)
  ) AND (removed_at IS NULL OR held > 0)
  ORDER BY seat_id IS NULL, resets_at NULLS LAST, created_at, id
$$;
