-- Admits one request, or says why not: every limit is checked first, then all are taken or none.
--
-- KEYS    1..P   request logs: sorted sets, member = request id, score = microseconds when accepted
--         P+1    stream leases: sorted set, member = request id, score = microseconds when it ends
--                (only with a stream limit)
--         last   revocation tombstone of the key (optional)
-- ARGV    1      request id; one that is in the log already is answered again and not counted again
--         2      now in microseconds, or '' for Redis TIME
--         3      window in microseconds
--         4      P, the number of request logs
--         5      stream limit, or -1 for a request without a stream
--         6      stream lease in microseconds
--         7..    limit of each log
-- RETURNS {-1} for a revoked key, else
--         {0, or the number of the refusing log, or P+1 for the streams;
--          free streams or -1; then for each log: remaining, milliseconds until the next place is free}
--
-- All keys carry one hash tag. Redis deletes them when nothing in them counts any more.

local call = redis.call
local request_id = ARGV[1]
local window = tonumber(ARGV[3])
local log_count = tonumber(ARGV[4])
local stream_limit = tonumber(ARGV[5])
local lease = tonumber(ARGV[6])
local has_stream = stream_limit >= 0
local stream_key = KEYS[log_count + 1]
local tombstone_key = KEYS[log_count + (has_stream and 2 or 1)]

if tombstone_key and call('EXISTS', tombstone_key) == 1 then
  return { -1 }
end

local now = tonumber(ARGV[2])
if not now then
  local time = call('TIME')
  now = tonumber(time[1]) * 1000000 + tonumber(time[2])
end

-- Lua would print a number of 16 digits as 1.7e+15.
local function digits(number)
  return string.format('%.0f', number)
end

local now_text, window_start = digits(now), digits(now - window)
local window_ms = math.ceil(window / 1000)

local counts, limits = {}, {}
for i = 1, log_count do
  call('ZREMRANGEBYSCORE', KEYS[i], '-inf', window_start)
  counts[i] = call('ZCARD', KEYS[i])
  limits[i] = tonumber(ARGV[6 + i])
end

local streams = 0
if has_stream then
  call('ZREMRANGEBYSCORE', stream_key, '-inf', now_text)
  streams = call('ZCARD', stream_key)
end

local function milliseconds_until_free(i)
  if limits[i] <= 0 then
    return window_ms
  end
  if counts[i] == 0 then
    return 0
  end
  -- The oldest entry is not always enough: after a limit was lowered, several must leave.
  local index = math.max(0, counts[i] - limits[i])
  local entry = call('ZRANGE', KEYS[i], index, index, 'WITHSCORES')
  return math.ceil((tonumber(entry[2]) + window - now) / 1000)
end

local refused_by, longest = 0, 0
for i = 1, log_count do
  if counts[i] >= limits[i] then
    local wait = milliseconds_until_free(i)
    if wait > longest then
      refused_by, longest = i, wait
    end
  end
end
if refused_by == 0 and has_stream and streams >= stream_limit then
  refused_by = log_count + 1
end

-- A log holds an id only if everything else was taken with it, so it is enough to look into the first key.
-- Where there is room, the first ZADD tells it as well, which saves a call.
local is_repeated = false
if refused_by > 0 or (log_count == 0 and has_stream) then
  is_repeated = call('ZSCORE', KEYS[1], request_id) ~= false
end

if is_repeated then
  refused_by = 0
elseif refused_by == 0 then
  for i = 1, log_count do
    local added = call('ZADD', KEYS[i], 'NX', now_text, request_id)
    is_repeated = i == 1 and added == 0
    if is_repeated then
      break
    end
    counts[i] = counts[i] + added
    call('PEXPIRE', KEYS[i], window_ms)
  end
  if has_stream and not is_repeated then
    streams = streams + call('ZADD', stream_key, digits(now + lease), request_id)
    call('PEXPIRE', stream_key, math.ceil(lease / 1000))
  end
end

local answer = { refused_by, has_stream and math.max(0, stream_limit - streams) or -1 }
for i = 1, log_count do
  answer[#answer + 1] = math.max(0, limits[i] - counts[i])
  answer[#answer + 1] = milliseconds_until_free(i)
end
return answer
