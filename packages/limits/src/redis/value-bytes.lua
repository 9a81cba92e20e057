-- Bounds the bytes of values that one owner has at a time. Counts them by the slice of time in which they
-- expire, so that they count until then, and at most one slice longer.

-- Time in milliseconds.
local function now_ms()
  local time = redis.call('TIME')
  return tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end

-- Takes back bytes of an owner that were counted for values until `expires`.
local function give_bytes_back(key, bytes, expires, slice)
  local number = string.format('%.0f', math.floor(expires / slice))
  if redis.call('HEXISTS', key, number) == 1 then
    redis.call('HINCRBY', key, number, string.format('%.0f', -bytes))
  end
end

-- Counts further bytes of an owner.
--   key    hash of bytes by the number of the slice
--   ttl    how long the values live in milliseconds; slice: the length of a slice
-- Returns false, and counts nothing, if the owner then had more than `max` bytes.
local function take_bytes(key, bytes, ttl, max, slice)
  local now = now_ms()
  local first = math.floor(now / slice)
  local counted = redis.call('HGETALL', key)
  local held = 0
  for i = 1, #counted, 2 do
    local number = tonumber(counted[i])
    if number and number >= first then
      held = held + tonumber(counted[i + 1])
    else
      redis.call('HDEL', key, counted[i])
    end
  end
  if held + bytes > max then
    return false
  end
  redis.call('HINCRBY', key, string.format('%.0f', math.floor((now + ttl) / slice)), string.format('%.0f', bytes))
  redis.call('PEXPIRE', key, string.format('%.0f', math.max(redis.call('PTTL', key), ttl + slice)))
  return true
end
