-- Reads several values of one owner, unless they exceed the reader's limit.
--
-- KEYS    1..  the values
-- ARGV    1    maximum bytes
-- RETURNS the values, nil for each missing one; or the number of bytes when they exceed the limit

local bytes = 0
for i = 1, #KEYS do
  bytes = bytes + redis.call('STRLEN', KEYS[i])
end
if bytes > tonumber(ARGV[1]) then
  return bytes
end
local values = {}
for i = 1, #KEYS do
  values[i] = redis.call('GET', KEYS[i])
end
return values
