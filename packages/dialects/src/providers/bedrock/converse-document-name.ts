const MAX_LENGTH = 200;
const UNNAMED = 'document';

/**
 * A name that Converse takes: letters, digits, single spaces, hyphens, round and square brackets; each once
 * in a request.
 * @param used is added to
 */
export function converseDocumentName(title: string, used: Set<string>): string {
  const plain = title
    .slice(0, MAX_LENGTH)
    .replaceAll(/[^A-Za-z0-9\s()[\]-]/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
  const base = plain === '' ? UNNAMED : plain;
  let name = base;
  for (let times = 2; used.has(name); times++) name = `${base} ${times}`;
  used.add(name);
  return name;
}
