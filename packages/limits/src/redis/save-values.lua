-- Saves expiring values, all or none, within the bytes that one owner can have at a time.
--
-- KEYS    1    bytes of the owner (value-bytes.lua)
--         2..  the values
-- ARGV    1    how long they live in milliseconds
--         2    maximum bytes of the owner
--         3    length of a slice in milliseconds
--         4..  the values, in the order of their keys
-- RETURNS 1, or 0 when they are too many bytes and nothing was saved
--
-- value-bytes.lua stands before this.

local bytes = 0
for i = 4, #ARGV do
  bytes = bytes + #ARGV[i]
end
if not take_bytes(KEYS[1], bytes, tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])) then
  return 0
end
for i = 2, #KEYS do
  redis.call('SET', KEYS[i], ARGV[i + 2], 'PX', ARGV[1])
end
return 1
