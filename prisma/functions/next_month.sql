-- Returns the first of the next month (UTC).
CREATE OR REPLACE FUNCTION next_month() RETURNS timestamptz
LANGUAGE sql STABLE AS $$
  SELECT (date_trunc('month', now() AT TIME ZONE 'UTC') + interval '1 month') AT TIME ZONE 'UTC'
$$;
