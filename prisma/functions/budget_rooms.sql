-- Returns windows of budgets with what is left of them. Leaves out windows of removed budgets: these limit
-- nothing.
--   size         limit of the window now, so that a raise counts at once
--   room         what can still be set aside; below 0 after the limit was lowered or a raise has ended
--   is_recalled  unused money of allowances is being returned
--   is_exceeded  noted already
CREATE OR REPLACE FUNCTION budget_rooms(p_windows text[])
RETURNS TABLE (
  id text, warns boolean, size bigint, spent bigint, held bigint, room bigint, is_recalled boolean,
  is_exceeded boolean
)
LANGUAGE sql STABLE AS $$
  SELECT w.id, b.warns, size.now, w.spent, w.held, size.now - w.spent - w.held,
    coalesce(w.recalled_at > now() - interval '2 seconds', false), w.exceeded_at IS NOT NULL
  FROM budget_windows w JOIN budgets b ON b.id = w.budget_id, LATERAL (SELECT budget_limit(b) AS now) AS size
  WHERE w.id = ANY(p_windows)
$$;
