-- Purges the values of an owner that have a mark and were begun until now: records the time for readers.
--
-- KEYS    1  purges of the owner: hash of time in milliseconds by mark
-- ARGV    1  the mark
--         2  the mark of all values
--         3  maximum number of marks; beyond, all values are purged
--         4  how long values live at most in milliseconds
-- RETURNS the time in milliseconds
--
-- value-bytes.lua stands before this.

local now = now_ms()
if redis.call('HLEN', KEYS[1]) >= tonumber(ARGV[3]) then
  redis.call('DEL', KEYS[1])
  redis.call('HSET', KEYS[1], ARGV[2], string.format('%.0f', now))
end
redis.call('HSET', KEYS[1], ARGV[1], string.format('%.0f', now))
redis.call('PEXPIRE', KEYS[1], ARGV[4])
return now
