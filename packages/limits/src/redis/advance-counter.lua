-- Raises a shard's counter of tombstones, unless the shard has lost data.
--
-- KEYS    1  counter of the shard: every tombstone up to this revision was written to it
-- ARGV    1  revision that the counter must have reached (decimal digits, up to 64 bits)
--         2  revision that it is raised to
-- RETURNS 1 when the counter holds at least the second revision now, 0 when it is missing or below the first
--
-- revisions.lua stands before this.

local current = redis.call('GET', KEYS[1])
if not current or is_later(ARGV[1], current) then
  return 0
end
if is_later(ARGV[2], current) then
  redis.call('SET', KEYS[1], ARGV[2])
end
return 1
