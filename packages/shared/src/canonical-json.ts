/**
 * Writes JSON with sorted member names and without spaces, so that equal values give equal text (as RFC 8785,
 * for strings, booleans, null and integers). Leaves out members that are undefined.
 */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_name, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}
