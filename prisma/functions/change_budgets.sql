-- Changes what is held and spent in windows of budgets. The caller has locked them.
CREATE OR REPLACE FUNCTION change_budgets(p_windows text[], p_held bigint, p_spent bigint) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  IF coalesce(cardinality(p_windows), 0) = 0 OR (p_held = 0 AND p_spent = 0) THEN RETURN; END IF;
  UPDATE budget_windows SET held = held + p_held, spent = spent + p_spent WHERE id = ANY(p_windows);
END
$$;
