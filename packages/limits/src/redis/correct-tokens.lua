-- Replaces estimated tokens by used ones. tokens.lua stands before this.
--
-- KEYS    token buckets
-- ARGV    for each bucket: how many cells change; then for each of them its number and the difference
-- RETURNS nothing

local start = 1
for i = 1, #KEYS do
  local pair_count = tonumber(ARGV[start])
  local bucket = open_tokens(KEYS[i], 0, '', ARGV, start + 1, pair_count)
  if #bucket.changes > 0 then
    save_tokens(bucket)
  end
  start = start + 1 + 2 * pair_count
end
