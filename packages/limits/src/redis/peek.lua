-- Tells the state that admit.lua would find, and changes nothing.
--
-- KEYS    1..P  request logs: sorted sets, member = request id, score = microseconds when accepted
--         P+1   stream leases: sorted set, member = request id, score = microseconds when it ends
--               (only with a stream limit)
-- ARGV    1     now in microseconds, or '' for Redis TIME
--         2     window in microseconds
--         3     stream limit, or -1 for a question without streams
--         4..   limit of each log
-- RETURNS {free streams or -1; then for each log: remaining, milliseconds until the next place is free}

local call = redis.call
local window = tonumber(ARGV[2])
local stream_limit = tonumber(ARGV[3])
local log_count = #ARGV - 3

local now = tonumber(ARGV[1])
if not now then
  local time = call('TIME')
  now = tonumber(time[1]) * 1000000 + tonumber(time[2])
end

-- Entries that have left the window stay in the log until the next request removes them. "(" leaves out those
-- exactly at its start.
local in_window = string.format('(%.0f', now - window)

local function milliseconds_until_free(key, count, limit)
  if limit <= 0 then
    return math.ceil(window / 1000)
  end
  if count == 0 then
    return 0
  end
  -- The oldest entry is not always enough: after a limit was lowered, several must leave.
  local index = math.max(0, count - limit)
  local entry = call('ZRANGEBYSCORE', key, in_window, '+inf', 'WITHSCORES', 'LIMIT', index, 1)
  return math.ceil((tonumber(entry[2]) + window - now) / 1000)
end

local answer = { -1 }
if stream_limit >= 0 then
  local streams = call('ZCOUNT', KEYS[log_count + 1], string.format('(%.0f', now), '+inf')
  answer[1] = math.max(0, stream_limit - streams)
end
for i = 1, log_count do
  local key, limit = KEYS[i], tonumber(ARGV[3 + i])
  local count = call('ZCOUNT', key, in_window, '+inf')
  answer[#answer + 1] = math.max(0, limit - count)
  answer[#answer + 1] = milliseconds_until_free(key, count, limit)
end
return answer
