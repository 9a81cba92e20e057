-- Compares revisions. It stands before the scripts about tombstones (tombstones.ts).
-- Revisions are compared as text, because Lua's numbers are exact only up to 2^53.
local function is_later(left, right)
  if #left ~= #right then
    return #left > #right
  end
  return left > right
end
