-- Reads several values of one owner, unless they are more bytes than the reader has room for.
--
-- KEYS    1..  the values
-- ARGV    1    the most bytes
-- RETURNS the values, nil for each that is not there; or the number of bytes when they are too many

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
