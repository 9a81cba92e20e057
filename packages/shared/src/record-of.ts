/**
 * As Object.fromEntries, which does not tell which keys its objects have.
 * @param entries one for every key there is
 */
export function recordOf<Key extends string, Value>(
  entries: Iterable<readonly [Key, Value]>,
): Record<Key, Value>;
export function recordOf(entries: Iterable<readonly [string, unknown]>): Record<string, unknown> {
  return Object.fromEntries(entries);
}
