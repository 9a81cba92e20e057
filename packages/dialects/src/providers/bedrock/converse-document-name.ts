const MAX_LENGTH = 200;
const UNNAMED = 'document';

/** Converse allows letters, digits, single spaces, hyphens and brackets, and each name once. */
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
