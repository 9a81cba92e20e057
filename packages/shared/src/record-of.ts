/** Object.fromEntries with typed keys. @param entries one for every key of the type */
export function recordOf<Key extends string, Value>(
  entries: Iterable<readonly [Key, Value]>,
): Record<Key, Value>;
export function recordOf(entries: Iterable<readonly [string, unknown]>): Record<string, unknown> {
  return Object.fromEntries(entries);
}
