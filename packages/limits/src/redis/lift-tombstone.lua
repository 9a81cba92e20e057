-- Removes the tombstone of a key that works again, unless the key was revoked again later.
--
-- KEYS    1  revocation tombstone: the revision as decimal digits
--         2  the revision at which it was lifted last
-- ARGV    1  revision at which the key works again (decimal digits, up to 64 bits)
--         2  milliseconds for which the lift is remembered
-- RETURNS 1 when no tombstone is left, 0 when there is a later one
--
-- revisions.lua stands before this.

local lifted = redis.call('GET', KEYS[2])
if not lifted or is_later(ARGV[1], lifted) then
  redis.call('SET', KEYS[2], ARGV[1], 'PX', ARGV[2])
end
local current = redis.call('GET', KEYS[1])
if current and is_later(current, ARGV[1]) then
  return 0
end
redis.call('DEL', KEYS[1])
return 1
