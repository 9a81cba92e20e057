-- Returns the state that admit.lua would find, and changes nothing.
-- buckets.lua stands before this, and explains logs and cells.
--
-- KEYS    1..P    request logs
--         P+1..2P cells of the same buckets
--         2P+1    stream leases: sorted set, member = request id, score = microseconds when it ends
--                 (only with a stream limit)
-- ARGV    1       now in microseconds, or '' for Redis TIME
--         2       window in milliseconds
--         3       stream limit, or -1 for none
--         4..     limit of each bucket
-- RETURNS {free streams or -1; then for each bucket: remaining, milliseconds until the next place is free}

local window = ARGV[2] * 1000
local stream_limit = tonumber(ARGV[3])
local bucket_count = #ARGV - 3

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
  local log, limit = KEYS[i], tonumber(ARGV[3 + i])
  -- Requests that left the window stay until the next request removes them.
  local gone = call('ZCOUNT', log, '-inf', now - window)
  local cells = read_cells(KEYS[bucket_count + i], now - window)
  local count = call('ZCARD', log) - gone + (cells and cells.sum - cells.base or 0)
  local bucket = { limit = limit, count = count, log = log, gone = gone, cells = cells }
  answer[#answer + 1] = math.max(0, limit - count)
  answer[#answer + 1] = milliseconds_until_free(bucket, now, window)
end
return answer
