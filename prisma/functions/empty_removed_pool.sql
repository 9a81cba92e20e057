-- Takes out whatever returns to a removed or expired pool at once, with an entry, so that nobody spends it.
CREATE OR REPLACE FUNCTION empty_removed_pool() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO ledger_entries (pool_id, kind, amount)
  VALUES (NEW.id, CASE WHEN NEW.expires_at <= NEW.removed_at THEN 'expired' ELSE 'removed' END, -NEW.remaining);
  NEW.included := NEW.included - NEW.remaining;
  NEW.remaining := 0;
  RETURN NEW;
END
$$;

CREATE OR REPLACE TRIGGER "pools_empty_removed" BEFORE UPDATE ON "pools" FOR EACH ROW
  WHEN (NEW."removed_at" IS NOT NULL AND NEW."remaining" > 0) EXECUTE FUNCTION empty_removed_pool();
