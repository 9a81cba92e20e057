/**
 * Writes a generated image as Markdown: Messages has no block for one, and strict clients refuse unknown
 * blocks. `readImageMarkdown` removes it in the next turn, or a model would read megabytes of base64.
 */
export function writeImageMarkdown(url: string): string {
  return `${BEFORE}${url}${AFTER}`;
}

const BEFORE = '![image](';
const AFTER = ')';
/** Leaves other URLs in the text: they are short, and the model may have written them. */
const DATA = `${BEFORE}data:image/`;

export type TextOrImage = { text: string } | { url: string };

/** Uses no regular expression, which would go through megabytes of base64. */
export function readImageMarkdown(text: string): TextOrImage[] {
  const pieces: TextOrImage[] = [];
  let from = 0;
  for (;;) {
    const at = text.indexOf(DATA, from);
    const end = at === -1 ? -1 : text.indexOf(AFTER, at + DATA.length);
    if (end === -1) break;
    pieces.push({ text: text.slice(from, at) }, { url: text.slice(at + BEFORE.length, end) });
    from = end + AFTER.length;
  }
  return [...pieces, { text: text.slice(from) }];
}
