-- Returns the first arrival (arrival_of) of a moment's millisecond, to compare arrivals with times.
CREATE OR REPLACE FUNCTION arrival_at(p_time timestamptz) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT substr(digits, (ms / 3521614606208 % 62)::int + 1, 1)
    || substr(digits, (ms / 56800235584 % 62)::int + 1, 1)
    || substr(digits, (ms / 916132832 % 62)::int + 1, 1)
    || substr(digits, (ms / 14776336 % 62)::int + 1, 1)
    || substr(digits, (ms / 238328 % 62)::int + 1, 1)
    || substr(digits, (ms / 3844 % 62)::int + 1, 1)
    || substr(digits, (ms / 62 % 62)::int + 1, 1)
    || substr(digits, (ms % 62)::int + 1, 1)
  FROM (VALUES (
    floor(extract(epoch FROM p_time) * 1000)::bigint,
    '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
  )) AS given (ms, digits)
$$;
