-- Locks windows of budgets, and adds those that are not counted yet.
CREATE OR REPLACE FUNCTION lock_budgets(p_windows text[]) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  v_windows text[];
  v_locked int;
BEGIN
  IF coalesce(cardinality(p_windows), 0) = 0 THEN RETURN; END IF;
  v_windows := ARRAY(SELECT DISTINCT id FROM unnest(p_windows) AS id);
  IF (SELECT count(*) FROM budget_windows WHERE id = ANY(v_windows)) = cardinality(v_windows) THEN
    PERFORM FROM budget_windows WHERE id = ANY(v_windows) ORDER BY id FOR UPDATE;
    GET DIAGNOSTICS v_locked = ROW_COUNT;
    -- Fewer: one was unused, and deleted just now (AllowanceStore.prune).
    IF v_locked = cardinality(v_windows) THEN RETURN; END IF;
  END IF;
  -- Locks known and new ones in the same order.
  INSERT INTO budget_windows AS w (id, budget_id)
  SELECT id, split_part(id, '/', 1) FROM unnest(v_windows) AS id ORDER BY id
  ON CONFLICT (id) DO UPDATE SET held = w.held;
END
$$;
