-- Renews the leases of running streams. A lease that had ended is taken again, because the stream still runs.
--
-- KEYS    1    stream leases: sorted set, member = request id, score = microseconds when it ends
-- ARGV    1    now in microseconds, or '' for Redis TIME
--         2    stream lease in milliseconds
--         3..  request ids
-- RETURNS the number of request ids

local now = tonumber(ARGV[1])
if not now then
  local time = redis.call('TIME')
  now = tonumber(time[1]) * 1000000 + tonumber(time[2])
end
local lease_ms = ARGV[2]
local ends_at = string.format('%.0f', now + lease_ms * 1000)

for i = 3, #ARGV do
  redis.call('ZADD', KEYS[1], ends_at, ARGV[i])
end
redis.call('PEXPIRE', KEYS[1], lease_ms)
return #ARGV - 2
