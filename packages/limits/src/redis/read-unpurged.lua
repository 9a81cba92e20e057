-- Reads a value and what its owner has purged.
--
-- KEYS    1  the value
--         2  purges of the owner: hash of time in milliseconds by mark
-- ARGV    1  longer values are not read
-- RETURNS the time in milliseconds, the value (nil: missing or too long), marks and times in turn
--
-- value-bytes.lua stands before this.

local value = redis.call('STRLEN', KEYS[1]) <= tonumber(ARGV[1]) and redis.call('GET', KEYS[1])
local reply = { now_ms(), value }
for _, text in ipairs(redis.call('HGETALL', KEYS[2])) do
  reply[#reply + 1] = text
end
return reply
