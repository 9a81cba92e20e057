-- Returns the limit of a budget now: that of a temporary raise until its end.
CREATE OR REPLACE FUNCTION budget_limit(p_budget budgets) RETURNS bigint
LANGUAGE sql STABLE AS $$
  SELECT CASE
    WHEN p_budget.temporary_until > now() THEN coalesce(p_budget.temporary_limit, p_budget."limit")
    ELSE p_budget."limit"
  END
$$;
