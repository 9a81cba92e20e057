-- Says that a shard holds every tombstone, unless it lost its data since the writing began.
--
-- KEYS    1  marker of the shard
-- ARGV    1  what this writer put there before it wrote the tombstones
--         2  what a complete shard's marker holds
-- RETURNS 1 when the marker is complete now, else 0

local current = redis.call('GET', KEYS[1])
if current == ARGV[1] then
  redis.call('SET', KEYS[1], ARGV[2])
  return 1
end
return 0
