const MAX_NAME_LENGTH = 80;

/** Makes an untrusted name safe: one short line in which no mail program finds a link. */
export function quoted(name: string): string {
  const line = name
    .replace(/[\p{C}\p{Zl}\p{Zp}]/gu, ' ')
    .replaceAll('://', ' ')
    .replaceAll('.', '․')
    .trim();
  return line.length > MAX_NAME_LENGTH ? `${line.slice(0, MAX_NAME_LENGTH)}…` : line;
}

/** Returns the text of a mail, with an empty line between paragraphs. */
export function paragraphs(...texts: readonly string[]): string {
  return `${texts.join('\n\n')}\n`;
}
