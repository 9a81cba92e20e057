-- Accounts that are suspended or deleted, teams that are deleted, keys that expire or were rotated, pools that are changed
-- or removed. The release before knows a suspended key as a revoked one, a deleted account or team by its revoked keys,
-- and a removed pool as one with nothing left.
-- AlterTable
ALTER TABLE "accounts" ADD COLUMN "suspended_at" TIMESTAMPTZ(3), ADD COLUMN "deleted_at" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "teams" ADD COLUMN "deleted_at" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "api_keys" ADD COLUMN "suspended_at" TIMESTAMPTZ(3), ADD COLUMN "replaced_by" TEXT;

-- AlterTable
ALTER TABLE "key_events" ADD COLUMN "restored" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "pools" ADD COLUMN "removed_at" TIMESTAMPTZ(3);

-- What the schema language cannot say. The new checks allow more than the old ones did, so the rows that are there need
-- not be read, which would lock these tables for as long: NOT VALID.
ALTER TABLE "api_keys" DROP CONSTRAINT "api_keys_kind";
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_kind" CHECK (
  "kind" IN ('issued', 'playground', 'demo') AND ("kind" <> 'playground' OR "expires_at" IS NOT NULL)
) NOT VALID;
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_suspended" CHECK (
  "suspended_at" IS NULL OR "revoked_at" IS NOT NULL
) NOT VALID;
ALTER TABLE "ledger_entries" DROP CONSTRAINT "ledger_entries_kind";
ALTER TABLE "ledger_entries" ADD CONSTRAINT "ledger_entries_kind" CHECK (
  "kind" IN ('included', 'charge', 'reset', 'moved', 'changed', 'removed')
  AND ("kind" = 'charge') = ("request_id" IS NOT NULL)
) NOT VALID;

-- The same pools in the same order, without those that were removed: of these only what is still set aside matters, until
-- it is charged or given back.
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

-- Whatever comes back to a pool that was removed is taken out of it at once, with an entry, so that nobody spends it: what
-- was set aside for requests that then needed less.
CREATE FUNCTION empty_removed_pool() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO ledger_entries (pool_id, kind, amount) VALUES (NEW.id, 'removed', -NEW.remaining);
  NEW.included := NEW.included - NEW.remaining;
  NEW.remaining := 0;
  RETURN NEW;
END
$$;

CREATE TRIGGER "pools_empty_removed" BEFORE UPDATE ON "pools" FOR EACH ROW
  WHEN (NEW."removed_at" IS NOT NULL AND NEW."remaining" > 0) EXECUTE FUNCTION empty_removed_pool();

-- Changes what a pool includes, by an entry of the difference. What is used or set aside stays: it never includes less.
--   p_name    of the pool from now on; null: as it is
--   changed   false: so much is used or set aside, or the pool is removed
--   recalls   what data planes have been asked for, because what they do not use of it would do, as in acquire_allowance
--   charged, held   of the pool
CREATE FUNCTION change_pool(
  p_id text, p_included bigint, p_name text,
  OUT changed boolean, OUT recalls jsonb, OUT charged bigint, OUT held bigint
)
LANGUAGE plpgsql AS $$
DECLARE
  v_pool pools;
BEGIN
  PERFORM lock_pools(ARRAY[p_id]);
  SELECT * INTO v_pool FROM pools WHERE id = p_id;
  charged := coalesce(v_pool.charged, 0);
  held := coalesce(v_pool.held, 0);
  changed := coalesce(v_pool.removed_at IS NULL AND p_included >= charged + held, false);
  IF changed AND p_included <> v_pool.included THEN
    UPDATE pools p SET included = p_included, remaining = p_included - p.charged - p.held,
      name = coalesce(p_name, p.name)
    WHERE p.id = p_id;
    INSERT INTO ledger_entries (pool_id, kind, amount) VALUES (p_id, 'changed', p_included - v_pool.included);
  ELSIF NOT changed AND v_pool.removed_at IS NULL AND p_included >= charged THEN
    SELECT jsonb_agg(r) INTO recalls FROM recall_allowances(ARRAY[p_id], '') r;
  END IF;
  recalls := coalesce(recalls, '[]');
END
$$;

-- Removes a pool: an entry takes out of it what nobody has used. What is used stays, and so does what is set aside for
-- requests, until they end. One that is removed already stays as it is, and so does the answer.
--   taken     what was taken out when it was removed
--   recalls   what data planes have been asked for, so that what they do not use comes back now, as in acquire_allowance
CREATE FUNCTION remove_pool(p_id text, OUT taken bigint, OUT recalls jsonb)
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM lock_pools(ARRAY[p_id]);
  SELECT p.remaining INTO taken FROM pools p WHERE p.id = p_id AND p.removed_at IS NULL;
  IF taken IS NOT NULL THEN
    UPDATE pools p SET included = p.included - taken, remaining = 0, resets_at = NULL, removed_at = now()
    WHERE p.id = p_id;
    INSERT INTO ledger_entries (pool_id, kind, amount) VALUES (p_id, 'removed', -taken);
  END IF;
  SELECT coalesce(taken, -amount, 0) INTO taken FROM (SELECT 1) AS one LEFT JOIN (
    SELECT amount FROM ledger_entries WHERE pool_id = p_id AND kind = 'removed' ORDER BY id LIMIT 1
  ) AS entry ON true;
  SELECT jsonb_agg(r) INTO recalls FROM recall_allowances(ARRAY[p_id], '') r;
  recalls := coalesce(recalls, '[]');
END
$$;

-- Moves money as before, but never into a pool that was removed.
CREATE OR REPLACE FUNCTION move_pool_money(
  p_from text, p_amount bigint, p_to text, p_name text, p_account_id text, p_team_id text, p_seat_id text, p_max int,
  OUT moved boolean, OUT too_many boolean, OUT recalls jsonb, OUT target text, OUT remaining bigint, OUT held bigint
)
LANGUAGE plpgsql AS $$
DECLARE
  v_resets_at timestamptz;
  v_gone boolean;
BEGIN
  SELECT min(other.id) INTO target FROM pools source, pools other
  WHERE source.id = p_from AND other.id <> p_from AND other.name = p_name AND other.removed_at IS NULL
    AND (other.resets_at IS NULL) = (source.resets_at IS NULL) AND other.account_id IS NOT DISTINCT FROM p_account_id
    AND other.team_id IS NOT DISTINCT FROM p_team_id AND other.seat_id IS NOT DISTINCT FROM p_seat_id;
  PERFORM lock_pools(array_remove(ARRAY[p_from, target], NULL));
  -- It may have been removed while its lock was waited for.
  SELECT p.removed_at IS NOT NULL INTO v_gone FROM pools p WHERE p.id = target;
  IF v_gone THEN target := NULL; END IF;
  SELECT p.remaining, p.held, p.resets_at INTO move_pool_money.remaining, move_pool_money.held, v_resets_at
  FROM pools p WHERE p.id = p_from;
  too_many := target IS NULL AND p_max <= (
    SELECT count(*) FROM pools p
    WHERE (p.account_id = p_account_id OR p.team_id = p_team_id OR p.seat_id = p_seat_id) AND p.removed_at IS NULL
  );
  moved := coalesce(p_amount > 0 AND p_amount <= remaining AND NOT too_many, false);
  IF moved THEN
    remaining := remaining - p_amount;
    UPDATE pools p SET included = p.included - p_amount, remaining = p.remaining - p_amount WHERE p.id = p_from;
    IF target IS NULL THEN
      target := p_to;
      INSERT INTO pools (id, name, account_id, team_id, seat_id, included, remaining, resets_at)
      VALUES (p_to, p_name, p_account_id, p_team_id, p_seat_id, p_amount, p_amount, v_resets_at);
    ELSE
      UPDATE pools p SET included = p.included + p_amount, remaining = p.remaining + p_amount WHERE p.id = target;
    END IF;
    INSERT INTO ledger_entries (pool_id, kind, amount)
    VALUES (p_from, 'moved', -p_amount), (target, 'moved', p_amount);
  ELSIF NOT too_many AND p_amount <= remaining + held THEN
    SELECT jsonb_agg(r) INTO recalls FROM recall_allowances(ARRAY[p_from], '') r;
  END IF;
  recalls := coalesce(recalls, '[]');
END
$$;
