-- Recalls unused money of other allowances that hold money of pools or within budgets; the caller holds the
-- locks of both.
-- @returns the allowances that must reply, each with its recall; an open recall is not repeated. Includes
-- those of lost data planes, which cannot reply: nobody uses their money.
CREATE OR REPLACE FUNCTION recall_sharers(p_pool_ids text[], p_windows text[], p_except text)
RETURNS TABLE ("allowanceId" text, recall int)
LANGUAGE plpgsql AS $$
BEGIN
  UPDATE pools SET recalled_at = now() WHERE id = ANY(p_pool_ids);
  UPDATE budget_windows SET recalled_at = now() WHERE id = ANY(p_windows);
  RETURN QUERY
    UPDATE allowances a SET recall = greatest(a.recall, a.answered + 1)
    WHERE a.id IN (
      SELECT other.id FROM allowances other
      WHERE other.closed_at IS NULL AND other.id <> p_except AND other.id IN (
        SELECT part.allowance_id FROM allowance_parts part WHERE part.pool_id = ANY(p_pool_ids) AND part.held > 0
        UNION ALL
        SELECT sharer.id FROM allowances sharer
        WHERE sharer.closed_at IS NULL AND sharer.budgets <> '{}' AND sharer.budgets && p_windows
      ) AND (
        NOT other.exact OR NOT EXISTS (
          SELECT FROM key_watchers w WHERE w.instance_id = other.instance_id AND w.lease_until > now()
        )
      )
      ORDER BY other.id FOR UPDATE OF other
    )
    RETURNING a.id, a.recall;
  PERFORM pg_notify('gateway_recalls', '');
END
$$;
