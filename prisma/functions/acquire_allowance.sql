-- For the previous release: sets money aside without budgets (grant_allowance).
CREATE OR REPLACE FUNCTION acquire_allowance(
  p_id text, p_instance_id text, p_payer text[], p_needs bigint[], p_spare bigint,
  p_returned bigint DEFAULT 0,
  OUT lapsed boolean, OUT closed boolean, OUT granted bigint, OUT covered int, OUT exact boolean, OUT recall int,
  OUT recalls jsonb, OUT available bigint, OUT held bigint, OUT resets_at timestamptz
)
LANGUAGE sql AS $$
  SELECT lapsed, closed, granted, covered, exact, recall, recalls, available, held, resets_at
  FROM grant_allowance(p_id, p_instance_id, p_payer, '{}', p_needs, p_spare, p_returned)
$$;
