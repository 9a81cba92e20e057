-- Saves expiring values, all or none, within the bytes that one owner can have at a time. A value lives for
-- one period, so all bytes written in the present and in the previous period count.
--
-- KEYS    1    what the owner has written: hash of `period` (number of the present one), `bytes` (in it) and
--              `before` (in the one before it)
--         2..  the values
-- ARGV    1    how long they live in milliseconds, which is also the length of a period
--         2    maximum bytes of the owner
--         3..  the values, in the order of their keys
-- RETURNS 1, or 0 when they are too many bytes and nothing was saved

local life = tonumber(ARGV[1])
local time = redis.call('TIME')
local period = math.floor((tonumber(time[1]) * 1000 + tonumber(time[2]) / 1000) / life)
local written = redis.call('HMGET', KEYS[1], 'period', 'bytes', 'before')
local last = tonumber(written[1]) or period
local bytes = tonumber(written[2]) or 0
local before = tonumber(written[3]) or 0
if period > last then
  before = period == last + 1 and bytes or 0
  bytes = 0
end

for i = 3, #ARGV do
  bytes = bytes + #ARGV[i]
end
if before + bytes > tonumber(ARGV[2]) then
  return 0
end
for i = 2, #KEYS do
  redis.call('SET', KEYS[i], ARGV[i + 1], 'PX', ARGV[1])
end
redis.call(
  'HSET', KEYS[1],
  'period', string.format('%.0f', math.max(period, last)),
  'bytes', string.format('%.0f', bytes),
  'before', string.format('%.0f', before)
)
redis.call('PEXPIRE', KEYS[1], string.format('%.0f', 2 * life))
return 1
