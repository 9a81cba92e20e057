/** As Object.fromEntries, which does not tell the keys of its objects. @param entries one for every key */
export function recordOf<Key extends string, Value>(
  entries: Iterable<readonly [Key, Value]>,
): Record<Key, Value>;
export function recordOf(entries: Iterable<readonly [string, unknown]>): Record<string, unknown> {
  return Object.fromEntries(entries);
}
