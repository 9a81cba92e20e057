-- Sets money aside for one payer, as grant_allowance says. What the data plane does not use is taken back
-- first, in the same statement, so that whoever waits for money never holds a part of it that could cover
-- somebody else. It waits for whoever has locked the payer's pools.
--   p_returned  all that the data plane says it has ever given back
--   lapsed, closed, granted, covered, exact, recall  see grant_allowance
--   recalls     when not even the first need is covered: what others have been asked for, as an array of
--               allowanceId and recall; without any, the need cannot be covered
--   available, held, resets_at  of the payer's pools, after the grant
CREATE OR REPLACE FUNCTION acquire_allowance(
  p_id text, p_instance_id text, p_account_id text, p_seat_id text, p_team_id text, p_needs bigint[],
  p_spare bigint, p_returned bigint DEFAULT 0,
  OUT lapsed boolean, OUT closed boolean, OUT granted bigint, OUT covered int, OUT exact boolean, OUT recall int,
  OUT recalls jsonb, OUT available bigint, OUT held bigint, OUT resets_at timestamptz
)
LANGUAGE plpgsql AS $$
DECLARE
  v_ids text[];
BEGIN
  SELECT array_agg(id) INTO v_ids FROM payer_pools(p_account_id, p_seat_id, p_team_id);
  PERFORM lock_pools(v_ids);
  PERFORM return_allowance(p_id, p_returned, 0, false);
  SELECT g.lapsed, g.closed, g.granted, g.covered, g.exact, g.recall, g.available
  INTO lapsed, closed, granted, covered, exact, recall, available
  FROM grant_allowance(
    p_id, p_instance_id, p_account_id, p_seat_id, p_team_id, v_ids, p_needs, p_spare
  ) AS g;
  IF NOT closed AND NOT lapsed AND covered = 0 AND cardinality(p_needs) > 0 THEN
    SELECT jsonb_agg(r) INTO recalls FROM recall_allowances(v_ids, p_id) r;
  END IF;
  recalls := coalesce(recalls, '[]');
  SELECT coalesce(sum(p.held), 0), min(p.resets_at) INTO acquire_allowance.held, acquire_allowance.resets_at
  FROM pools p WHERE p.id = ANY(v_ids);
END
$$;
