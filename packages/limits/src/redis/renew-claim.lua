-- Renews the lease of a writer.
--
-- KEYS    1  the value (claim-value.lua)
-- ARGV    1  token of the writer
--         2  length of the lease in milliseconds
-- RETURNS 1, or 0 when another writer has the claim
--
-- value-bytes.lua stands before this.

if redis.call('HGET', KEYS[1], 'writer') ~= ARGV[1] then
  return 0
end
redis.call('HSET', KEYS[1], 'until', string.format('%.0f', now_ms() + tonumber(ARGV[2])))
return 1
