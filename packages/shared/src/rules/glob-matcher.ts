/**
 * Compiles a list of ids and globs, in which `*` stands for any characters. Matching takes linear time in the
 * lengths of glob and id: with a regular expression, one tenant's glob could block a process for hours.
 */
export function globMatcher(globs: readonly string[]): (id: string) => boolean {
  const exact = new Set(globs.filter((glob) => !glob.includes('*')));
  const patterns = globs.flatMap((glob) => (glob.includes('*') ? [glob.split('*')] : []));
  return (id) => exact.has(id) || patterns.some((parts) => matchesParts(parts, id));
}

/** Matches each part at its first place: if the rest fits after a later one, it fits after the first. */
function matchesParts(parts: readonly string[], id: string): boolean {
  const [first = ''] = parts;
  if (!id.startsWith(first)) return false;
  const last = parts.length - 1;
  let from = first.length;
  // An iterator would take as long as the comparison.
  for (let index = 1; index <= last; index += 1) {
    const part = parts[index] ?? '';
    if (index === last) return id.length - part.length >= from && id.endsWith(part);
    const at = id.indexOf(part, from);
    if (at === -1) return false;
    from = at + part.length;
  }
  return true;
}
