-- Ends the claim of a writer: with an answer, with the reason why there is none, or by freeing the value.
--
-- KEYS    1  the value (claim-value.lua)
--         2  bytes of the owner (value-bytes.lua)
-- ARGV    1  token of the writer
--         2  how long the answer or the reason lives in milliseconds
--         3  `answer`, `reason`, or `` to free the value
--         4  the answer or the reason
--         5  maximum bytes of the owner
--         6  length of a slice in milliseconds
--         7  bytes that the value has besides its answer
-- RETURNS 1, 0 when another writer has the claim, or -1 when the owner has too many bytes and nothing changed
--
-- value-bytes.lua stands before this.

if redis.call('HGET', KEYS[1], 'writer') ~= ARGV[1] then
  return 0
end
if ARGV[3] == '' then
  local expires = tonumber(redis.call('HGET', KEYS[1], 'since')) + tonumber(ARGV[2])
  give_bytes_back(KEYS[2], tonumber(ARGV[7]), expires, tonumber(ARGV[6]))
  redis.call('DEL', KEYS[1])
  return 1
end
if ARGV[3] == 'answer' then
  local max, slice = tonumber(ARGV[5]), tonumber(ARGV[6])
  if not take_bytes(KEYS[2], #ARGV[4], tonumber(ARGV[2]), max, slice) then
    return -1
  end
end
redis.call('HSET', KEYS[1], ARGV[3], ARGV[4])
redis.call('HDEL', KEYS[1], 'writer', 'since', 'until')
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1
