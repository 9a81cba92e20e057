-- Counts tokens. It stands before admit.lua, peek.lua and correct-tokens.lua.
--
-- All tokens that are taken within a quarter of a second share a cell, and count as taken when it ends. Cells
-- are numbered by time: number × length = end in microseconds. A bucket is a hash of
--   <number>      the tokens of a cell
--   sum           all tokens in it
--   first, last   numbers of the oldest and the latest cell
--
-- In Lua, a bucket is a table with key, limit, sum, first and last (nil: it has no cell), current (the tokens
-- of the present cell), and changes: fields and values that are to be saved with sum, first and last.

local call = redis.call

-- Reads a bucket, and replaces estimates: from `start` on, `args` has pairs of a cell's number and a
-- difference. A cell that was dropped stays dropped.
local function open_tokens(key, limit, present, args, start, pair_count)
  local fields = { 'sum', 'first', 'last', present }
  for pair = 1, pair_count do
    fields[4 + pair] = args[start + 2 * (pair - 1)]
  end
  local values = call('HMGET', key, unpack(fields))
  local sum, current, changes = tonumber(values[1]) or 0, tonumber(values[4] or 0), {}
  for pair = 1, pair_count do
    local tokens = tonumber(values[4 + pair] or nil)
    if tokens then
      local corrected = math.max(0, tokens + args[start + 2 * pair - 1])
      sum = sum + corrected - tokens
      if tonumber(fields[4 + pair]) == present then
        current = corrected
      end
      changes[#changes + 1] = fields[4 + pair]
      changes[#changes + 1] = corrected
    end
  end
  return {
    key = key,
    limit = tonumber(limit),
    sum = sum,
    first = tonumber(values[2] or nil),
    last = tonumber(values[3] or nil),
    current = current,
    changes = changes,
  }
end

local function save_tokens(bucket)
  local first, last = bucket.first, bucket.last
  call('HSET', bucket.key, 'sum', bucket.sum, 'first', first, 'last', last, unpack(bucket.changes))
  bucket.changes = {}
end

-- Returns the numbers of these cells, and what each has (false: it is not there).
local function read_range(bucket, from, to)
  local numbers = {}
  for number = from, to do
    numbers[#numbers + 1] = number
  end
  return numbers, call('HMGET', bucket.key, unpack(numbers))
end

-- Takes the cells before `oldest` out of the sum. Returns those that are still in the hash; nil: there are
-- none, or the hash has nothing else.
local function leave_expired(bucket, oldest)
  if not bucket.first or bucket.first >= oldest then
    return nil
  end
  if bucket.last < oldest then
    bucket.sum, bucket.first, bucket.last, bucket.changes = 0, nil, nil, {}
    return nil
  end
  local expired, from, step = {}, bucket.first, oldest - bucket.first + 4
  while true do
    local numbers, tokens = read_range(bucket, from, math.min(from + step - 1, bucket.last))
    for index = 1, #numbers do
      if tokens[index] and from + index > oldest then
        bucket.first = from + index - 1
        return expired
      elseif tokens[index] then
        bucket.sum = bucket.sum - tokens[index]
        expired[#expired + 1] = numbers[index]
      end
    end
    from, step = from + #numbers, 2 * step
  end
end

local function take_tokens(bucket, cell, tokens, life_ms)
  if not bucket.first then
    call('UNLINK', bucket.key)
    bucket.first, bucket.current = cell, 0
  elseif bucket.last == cell and bucket.current == 0 then
    -- The clock was set back: this is not the present cell.
    bucket.current = tonumber(call('HGET', bucket.key, cell) or 0)
  end
  local is_new = bucket.last ~= cell
  bucket.last = cell
  bucket.sum = bucket.sum + tokens
  bucket.changes[#bucket.changes + 1] = cell
  bucket.changes[#bucket.changes + 1] = bucket.current + tokens
  save_tokens(bucket)
  if is_new then
    call('PEXPIRE', bucket.key, life_ms)
  end
end

-- Returns milliseconds until the oldest cell leaves or, if the wanted tokens do not fit, until they do;
-- rounded up; 0 when the bucket is unused.
local function milliseconds_until_fit(bucket, wanted, now, window, cell)
  if wanted > bucket.limit then
    return math.ceil(window / 1000)
  end
  if bucket.sum == 0 then
    return 0
  end
  local missing = bucket.sum + wanted - bucket.limit
  if missing <= 0 then
    return math.ceil((bucket.first * cell + window - now) / 1000)
  end
  local from, step = bucket.first, 4
  while true do
    local numbers, tokens = read_range(bucket, from, math.min(from + step - 1, bucket.last))
    for index = 1, #numbers do
      missing = missing - (tokens[index] or 0)
      if missing <= 0 then
        return math.ceil((numbers[index] * cell + window - now) / 1000)
      end
    end
    from, step = from + #numbers, 4 * step
  end
end
