-- Returns the state that admit.lua would find, and changes nothing.
-- buckets.lua and tokens.lua stand before this, and explain logs, cells and token buckets.
--
-- KEYS    1..P    request logs
--         P+1..2P cells of the same buckets
--         2P+1    stream leases: sorted set, member = request id, score = microseconds when it ends
--                 (only with a stream limit)
--         last T  token buckets
-- ARGV    1       now in microseconds, or '' for Redis TIME
--         2       window in milliseconds
--         3       stream limit, or -1 for none
--         4       length of a token cell in milliseconds
--         5       P
--         6..     limit of each bucket; then of each token bucket
-- RETURNS {free streams or -1; then for each bucket, and for each token bucket: remaining, milliseconds until
--          the next place or token is free}

local window = ARGV[2] * 1000
local stream_limit = tonumber(ARGV[3])
local bucket_count = tonumber(ARGV[5])
local token_count = #ARGV - 5 - bucket_count
local token_cell = ARGV[4] * 1000

local now = tonumber(ARGV[1])
if not now then
  local time = call('TIME')
  now = tonumber(time[1]) * 1000000 + tonumber(time[2])
end

local answer = { -1 }
if stream_limit >= 0 then
  local streams = call('ZCOUNT', KEYS[2 * bucket_count + 1], now + 1, '+inf')
  answer[1] = math.max(0, stream_limit - streams)
end
for i = 1, bucket_count do
  local log, limit = KEYS[i], tonumber(ARGV[5 + i])
  -- Requests that left the window stay until the next request removes them.
  local gone = call('ZCOUNT', log, '-inf', now - window)
  local cells = read_cells(KEYS[bucket_count + i], now - window)
  local count = call('ZCARD', log) - gone + (cells and cells.sum - cells.base or 0)
  local bucket = { limit = limit, count = count, log = log, gone = gone, cells = cells }
  answer[#answer + 1] = math.max(0, limit - count)
  answer[#answer + 1] = milliseconds_until_free(bucket, now, window)
end
for i = 1, token_count do
  local bucket = open_tokens(KEYS[#KEYS - token_count + i], ARGV[5 + bucket_count + i], '', ARGV, 0, 0)
  leave_expired(bucket, math.floor((now - window) / token_cell) + 1)
  answer[#answer + 1] = math.max(0, bucket.limit - bucket.sum)
  answer[#answer + 1] = milliseconds_until_fit(bucket, 1, now, window, token_cell)
end
return answer
