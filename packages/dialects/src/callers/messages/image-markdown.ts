/**
 * A picture that a model has drawn, in an answer of Messages. That API has no block for one, and clients that
 * read strictly refuse an answer with a block that they do not know: it is a text, in Markdown, which many of
 * them show as a picture. In the next turn it is taken out of the text again, or a model would read megabytes
 * of base64.
 */
export function writeImageMarkdown(url: string): string {
  return `${BEFORE}${url}${AFTER}`;
}

const BEFORE = '![image](';
const AFTER = ')';
/** Addresses stay in the text: a model may have written them itself, and they are short. */
const DATA = `${BEFORE}data:image/`;

/** A piece of a text, or a picture that stood there. */
export type TextOrImage = { text: string } | { url: string };

/** Looked for by hand: an expression would go through megabytes of base64. */
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
