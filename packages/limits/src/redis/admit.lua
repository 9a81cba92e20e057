-- Admits one request, or returns why not: checks every limit first, then takes all or none.
-- buckets.lua and tokens.lua stand before this, and explain logs, cells and token buckets.
--
-- KEYS    1..P  where each bucket is counted: its cells if its limit is large, else its log
--         next  stream leases: sorted set, member = request id, score = microseconds when it ends
--               (only with a stream limit)
--         P     in the same order, the other counter of a bucket with a changed limit: its log if its limit
--               is large now, else its cells
--         next  revocation tombstone of the key (optional)
--         T     token buckets
-- ARGV    1     request id; an id that is in a log already gets the same reply, and is not counted again
--         2     now in microseconds, or '' for Redis TIME
--         3     window in milliseconds
--         4     length of a cell in milliseconds
--         5     the largest limit that has a log; greater ones are large
--         6     stream limit, or -1 for a request without a stream
--         7     stream lease in milliseconds
--         8     P
--         9..   limit of each bucket
--         next  only with token buckets: T, length of a token cell in milliseconds, tokens to take, and how
--               many more to take if they are at most a quarter of what is left; then for each token bucket:
--               its limit, and corrections as in correct-tokens.lua
-- RETURNS {-1} for a revoked key, else
--         {0, or the number of the refusing bucket (P+1.. for token buckets), or P+T+1 for the streams;
--          free streams or -1;
--          for each bucket: remaining, milliseconds until the next place is free;
--          only with token buckets: the taken tokens and their cell; then for each token bucket: remaining,
--          milliseconds until the next token is free or, if it refuses, until the request fits}
--
-- All keys carry one hash tag. Redis deletes them when nothing in them counts any more.

local request_id = ARGV[1]
local window_ms, cell_ms, lease_ms = ARGV[3], ARGV[4], ARGV[7]
local window = window_ms * 1000
local largest_logged = tonumber(ARGV[5])
local stream_limit = tonumber(ARGV[6])
local bucket_count = tonumber(ARGV[8])
local token_args = 9 + bucket_count
local token_count = tonumber(ARGV[token_args] or 0)
local has_stream = stream_limit >= 0
local stream_key = KEYS[bucket_count + 1]
local others = bucket_count + (has_stream and 1 or 0)
local token_keys = #KEYS - token_count
local tombstone_key = token_keys > others + bucket_count and KEYS[token_keys]

-- One call looks for the rare cases: a tombstone, and requests counted in the other form.
local has_rare = token_keys > others and call('EXISTS', unpack(KEYS, others + 1, token_keys)) > 0
if has_rare and tombstone_key and call('EXISTS', tombstone_key) == 1 then
  return { -1 }
end

local now = tonumber(ARGV[2])
if not now then
  local time = call('TIME')
  now = tonumber(time[1]) * 1000000 + tonumber(time[2])
end
-- Texts cost Redis less than numbers, which it would serialize for each call.
local now_text, start_text = string.format('%.0f', now), string.format('%.0f', now - window)

local buckets, logged = {}, nil
for i = 1, bucket_count do
  local limit = tonumber(ARGV[8 + i])
  local is_large = limit > largest_logged
  local count, log, cells = 0, nil, nil
  if has_rare or not is_large then
    log = is_large and KEYS[others + i] or KEYS[i]
    count = call('ZCARD', log)
    if count > 0 then
      count = count - call('ZREMRANGEBYSCORE', log, '-inf', start_text)
    end
  end
  if has_rare or is_large then
    local key = is_large and KEYS[i] or KEYS[others + i]
    cells = read_cells(key, now - window)
    if cells then
      count = count + cells.sum - cells.base
      if cells.first > 0 then
        call('LTRIM', key, 2 * cells.first, -1)
        cells.first = 0
      end
    end
  end
  logged = logged or not is_large and i
  buckets[i] = { limit = limit, count = count, log = log, gone = 0, cells = cells, wait = nil }
end

local token_buckets, tokens, token_cell, present, left = {}, nil, nil, nil, math.huge
if token_count > 0 then
  token_cell, tokens = ARGV[token_args + 1] * 1000, tonumber(ARGV[token_args + 2])
  present = math.floor(now / token_cell) + 1
  local oldest, arg = math.floor((now - window) / token_cell) + 1, token_args + 4
  for i = 1, token_count do
    local pair_count = tonumber(ARGV[arg + 1])
    local bucket =
      open_tokens(KEYS[token_keys + i], ARGV[arg], present, ARGV, arg + 2, pair_count)
    if #bucket.changes > 0 and bucket.first and bucket.first < oldest then
      save_tokens(bucket)
    end
    local expired = leave_expired(bucket, oldest)
    if expired then
      call('HDEL', bucket.key, unpack(expired))
      bucket.is_changed = true
    end
    left = math.min(left, bucket.limit - bucket.sum - tokens)
    token_buckets[i] = bucket
    arg = arg + 2 + 2 * pair_count
  end
end

local streams = 0
if has_stream then
  call('ZREMRANGEBYSCORE', stream_key, '-inf', now_text)
  streams = call('ZCARD', stream_key)
end

local refused_by, longest = 0, 0
for i = 1, bucket_count do
  local bucket = buckets[i]
  if bucket.count >= bucket.limit then
    bucket.wait = milliseconds_until_free(bucket, now, window)
    if bucket.wait > longest then
      refused_by, longest = i, bucket.wait
    end
  end
end
for i = 1, token_count do
  local bucket = token_buckets[i]
  if bucket.sum + tokens > bucket.limit then
    if #bucket.changes > 0 then
      save_tokens(bucket)
    end
    bucket.wait = milliseconds_until_fit(bucket, tokens, now, window, token_cell)
    if bucket.wait > longest then
      refused_by, longest = bucket_count + i, bucket.wait
    end
  end
end
if refused_by == 0 and has_stream and streams >= stream_limit then
  refused_by = bucket_count + token_count + 1
end

-- A log holds an id only if everything else was taken with it, so checking the first log is enough. If no
-- limit is full, its ZADD checks this as well, which saves a call. Cells hold no ids: without a log or a
-- stream, a repeated request counts twice.
local is_repeated = false
local ids_key = logged and KEYS[logged] or has_stream and stream_key
if ids_key and (refused_by > 0 or not logged) then
  is_repeated = call('ZSCORE', ids_key, request_id) ~= false
end
if is_repeated then
  refused_by = 0
elseif refused_by == 0 then
  is_repeated = logged and call('ZADD', KEYS[logged], 'NX', now_text, request_id) == 0
end

local taken, taken_cell = 0, 0
if refused_by == 0 and not is_repeated then
  if token_count > 0 then
    taken = tokens + math.min(tonumber(ARGV[token_args + 3]), math.floor(left / 4))
    taken_cell = present
    for i = 1, token_count do
      -- If the clock was set back, the last cell ends later than it must, and its tokens leave later.
      taken_cell = math.max(taken_cell, token_buckets[i].last or 0)
    end
    for i = 1, token_count do
      take_tokens(token_buckets[i], taken_cell, taken, window_ms + 2 * token_cell / 1000)
    end
  end
  for i = 1, bucket_count do
    local bucket, key = buckets[i], KEYS[i]
    if bucket.limit <= largest_logged then
      local added = i == logged and 1 or call('ZADD', key, 'NX', now_text, request_id)
      bucket.count = bucket.count + added
      call('PEXPIRE', key, window_ms)
    else
      local cells = bucket.cells
      local cell = cell_ms * 1000
      local ends = (math.floor(now / cell) + 1) * cell
      local sum = cells and cells.sum + 1 or 1
      if not cells then
        call('UNLINK', key)
        call('RPUSH', key, 0, ends, 1)
        bucket.cells = { key = key, first = 0, base = 0, first_end = ends, first_sum = 1 }
      elseif ends > cells.last_end then
        call('RPUSH', key, ends, sum)
      else
        -- If the clock was set back, the last cell ends later than it must, and its requests leave later.
        call('LSET', key, -1, sum)
      end
      bucket.count = bucket.count + 1
      call('PEXPIRE', key, window_ms + cell_ms)
    end
  end
  if has_stream then
    streams = streams + call('ZADD', stream_key, now + lease_ms * 1000, request_id)
    call('PEXPIRE', stream_key, lease_ms)
  end
end

if taken == 0 then
  for i = 1, token_count do
    local bucket = token_buckets[i]
    if #bucket.changes > 0 or bucket.is_changed then
      save_tokens(bucket)
    end
  end
end

local answer = { refused_by, has_stream and math.max(0, stream_limit - streams) or -1 }
for i = 1, bucket_count do
  local bucket = buckets[i]
  answer[#answer + 1] = math.max(0, bucket.limit - bucket.count)
  answer[#answer + 1] = bucket.wait or milliseconds_until_free(bucket, now, window)
end
if token_count > 0 then
  answer[#answer + 1] = taken
  answer[#answer + 1] = taken_cell
  for i = 1, token_count do
    local bucket = token_buckets[i]
    answer[#answer + 1] = math.max(0, bucket.limit - bucket.sum)
    local wanted = bucket.wait and refused_by > 0 and tokens or 1
    answer[#answer + 1] = milliseconds_until_fit(bucket, wanted, now, window, token_cell)
  end
end
return answer
