-- Reads how much of a limit is used. It stands before admit.lua and peek.lua (redis-limiter.ts).
--
-- The requests of a bucket are counted in one of two ways:
--   log     for small limits. Sorted set: member = request id, score = microseconds when accepted.
--   cells   for large limits. List: base, end, sum, end, sum, ... by time. All requests that were
--           accepted within a few milliseconds share a cell, and count as accepted when it ends, in
--           microseconds: never earlier than they were. "sum" is how many were accepted from the beginning of
--           the list up to this cell, and "base" the sum of the last removed cell. So the size of any
--           part is one difference, and a cell is found by halving.
-- In the minute after a limit has become large or small, a bucket has both, and both count.
--
-- A bucket is a table:
--   limit   requests per window
--   count   how many requests count
--   log     key of the log; nil where it is known to be empty
--   gone    how many entries of the log have left the window and are still there
--   cells   what read_cells has read
--
-- Redis gets numbers with 17 digits; `..` and tostring would turn microseconds into 1.7e+15.

local call = redis.call

-- Returns the first cell behind `known` for which `holds(end, sum)` is true. It is true for all cells behind
-- that one. Cells are numbered from 0; if it is true for none, the result is the number of cells. The
-- cell tends to be near `known`, so the steps are short at first.
local function first_cell(key, known, holds)
  local function holds_at(index)
    local cell = call('LRANGE', key, 2 * index + 1, 2 * index + 2)
    return not cell[1] or holds(tonumber(cell[1]), tonumber(cell[2]))
  end
  local low, step = known + 1, 1
  while not holds_at(low + step - 1) do
    low, step = low + step, 2 * step
  end
  local high = low + step - 1
  while low < high do
    local middle = math.floor((low + high) / 2)
    if holds_at(middle) then
      high = middle
    else
      low = middle + 1
    end
  end
  return low
end

-- Reads the cells that count: those that end after `window_start`. Returns nil if there are none, else
--   key; first: the number of the oldest cell; base: the sum before it; first_end, first_sum: of that cell;
--   last_end, sum: of the latest cell
local function read_cells(key, window_start)
  local oldest, first = call('LRANGE', key, 0, 2), 0
  if not oldest[1] then
    return nil
  end
  if tonumber(oldest[2]) <= window_start then
    first = first_cell(key, 0, function(ends)
      return ends > window_start
    end)
    oldest = call('LRANGE', key, 2 * first, 2 * first + 2)
  end
  if not oldest[2] then
    return nil
  end
  local latest = call('LRANGE', key, -2, -1)
  return {
    key = key,
    first = first,
    base = tonumber(oldest[1]),
    first_end = tonumber(oldest[2]),
    first_sum = tonumber(oldest[3]),
    last_end = tonumber(latest[1]),
    sum = tonumber(latest[2]),
  }
end

-- Returns the acceptance time, in microseconds, of the request that leaves the window after `older` others.
local function accepted_at(bucket, older, window_start)
  local cells, in_cells, cell_end = bucket.cells, 0, math.huge
  if cells then
    local function holds(ends, sum)
      local until_then = sum - cells.base
      if bucket.log then
        until_then = until_then + call('ZCOUNT', bucket.log, window_start + 1, ends)
      end
      return until_then > older
    end
    if holds(cells.first_end, cells.first_sum) then
      cell_end = cells.first_end
    else
      local found = first_cell(cells.key, cells.first, holds)
      local before = call('LRANGE', cells.key, 2 * found, 2 * found + 1)
      in_cells = tonumber(before[1]) - cells.base
      cell_end = tonumber(before[2] or cell_end)
    end
  end
  if not bucket.log then
    return cell_end
  end
  local index = bucket.gone + older - in_cells
  -- The index is mostly 0, and a text costs Redis less than a number, which it must serialize.
  index = index == 0 and '0' or index
  local entry = call('ZRANGE', bucket.log, index, index, 'WITHSCORES')
  return math.min(cell_end, tonumber(entry[2] or cell_end))
end

-- Returns milliseconds until a bucket has its next free place, rounded up; 0 when the bucket is unused.
local function milliseconds_until_free(bucket, now, window)
  if bucket.limit <= 0 then
    return math.ceil(window / 1000)
  end
  if bucket.count == 0 then
    return 0
  end
  -- The oldest request is not always enough: after a limit was lowered, several must leave.
  local accepted = accepted_at(bucket, math.max(0, bucket.count - bucket.limit), now - window)
  return math.ceil((accepted + window - now) / 1000)
end
