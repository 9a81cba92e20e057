/** Indents a text that is JSON; returns others, such as streams and cut bodies, as they are. */
export function layOutJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
