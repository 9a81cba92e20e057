-- Keeps an unlimited pool full: nine million US dollars remain, as much as a limited pool can include,
-- whatever is held and charged. Its ledger entries do not count what it includes: they sum to -charged.
CREATE OR REPLACE FUNCTION keep_unlimited_pool() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  NEW.remaining := 9000000000000000;
  NEW.included := NEW.remaining + NEW.held + NEW.charged;
  RETURN NEW;
END
$$;

CREATE OR REPLACE TRIGGER "pools_keep_unlimited" BEFORE INSERT OR UPDATE ON "pools" FOR EACH ROW
  WHEN (NEW."unlimited") EXECUTE FUNCTION keep_unlimited_pool();
