-- Claims a value for the one writer that may produce it, unless it is there, or another writer is at work.
-- A writer whose lease has lapsed has died: the next one continues under the request id of the first.
--
-- KEYS    1    the value: hash of `id` (request id of the first writer), `body` (fingerprint of its request)
--              and, while a writer works, `writer` (its token), `since` (begin of the work) and `until` (end
--              of the lease, both in milliseconds); afterwards `answer`, or `reason` (why there is none)
--         2    bytes of the owner (value-bytes.lua)
-- ARGV    1    request id of this writer
--         2    its token
--         3    length of the lease in milliseconds
--         4    how long the value lives in milliseconds
--         5    longer answers are not returned
--         6    maximum bytes of the owner
--         7    length of a slice in milliseconds
--         8    bytes that a value has besides its answer
--         9..  fingerprints of its request; the first one is stored
-- RETURNS {'claimed', request id}, {'running', milliseconds since the writer began}, {'mismatch'} when the
--         first request was another one, {'ended', request id, reason}, {'answered', request id, bytes of the
--         answer, answer (nil: too long)}, or {'owner_full'} when the owner has too many bytes
--
-- value-bytes.lua stands before this.

local now = now_ms()
local known = redis.call('HMGET', KEYS[1], 'id', 'body', 'writer', 'since', 'until', 'reason')
local id = known[1]
if id then
  local is_equal = false
  for i = 9, #ARGV do
    is_equal = is_equal or ARGV[i] == known[2]
  end
  if not is_equal then
    return { 'mismatch' }
  end
  if known[6] then
    return { 'ended', id, known[6] }
  end
  if not known[3] then
    local bytes = redis.call('HSTRLEN', KEYS[1], 'answer')
    return { 'answered', id, bytes, bytes <= tonumber(ARGV[5]) and redis.call('HGET', KEYS[1], 'answer') }
  end
  if now < tonumber(known[5]) then
    return { 'running', now - tonumber(known[4]) }
  end
elseif take_bytes(KEYS[2], tonumber(ARGV[8]), tonumber(ARGV[4]), tonumber(ARGV[6]), tonumber(ARGV[7])) then
  id = ARGV[1]
else
  return { 'owner_full' }
end
local ends = string.format('%.0f', now + tonumber(ARGV[3]))
redis.call('HSET', KEYS[1], 'id', id, 'body', ARGV[9], 'writer', ARGV[2], 'until', ends)
redis.call('HSETNX', KEYS[1], 'since', string.format('%.0f', now))
redis.call('PEXPIRE', KEYS[1], ARGV[4])
return { 'claimed', id }
