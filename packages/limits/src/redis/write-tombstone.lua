-- Marks a key as revoked. If several write, the highest revision stays. A late writer does not write a
-- revocation that was lifted meanwhile.
--
-- KEYS    1  revocation tombstone: the revision as decimal digits
--         2  the revision at which a tombstone of the key was lifted last, if any
-- ARGV    1  revision (decimal digits, up to 64 bits)
--         2  milliseconds until the tombstone ends
-- RETURNS 1 when written, 0 when the same or a later revision was there, or the key was lifted later
--
-- revisions.lua stands before this.

local current = redis.call('GET', KEYS[1])
if current and not is_later(ARGV[1], current) then
  return 0
end
local lifted = redis.call('GET', KEYS[2])
if lifted and not is_later(ARGV[1], lifted) then
  return 0
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
