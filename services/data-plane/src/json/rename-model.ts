const KEY = '"model"';

/**
 * A provider's answer under the gateway's model id, all else as it came, to the byte: writing a parsed answer anew costs
 * more than reading it.
 *
 * @param text valid JSON; `model`: the member of that name at its top level
 * @returns undefined where it is not plain which bytes are that member: the key stands there twice, below the top
 *   level, or written in another way than everybody writes it; and where characters are escaped that need not be, behind
 *   which a secret could hide from whoever looks for it in the text
 */
export function renameModel(text: string, model: unknown, modelId: string): string | undefined {
  if (text.includes('\\u') || text.includes('\\/')) return undefined;
  const at = text.indexOf(KEY);
  if (at === -1 || typeof model !== 'string') return undefined;
  // A quote inside a string is escaped, so this is a string of its own; before the first brace but one, a top level one.
  if (text.lastIndexOf('{', at) !== 0 || text.lastIndexOf('[', at) !== -1) return undefined;
  const valueAt = at + KEY.length + 1;
  const written = JSON.stringify(model);
  if (text[valueAt - 1] !== ':' || !text.startsWith(written, valueAt)) return undefined;
  if (text.indexOf(KEY, valueAt) !== -1) return undefined;
  return text.slice(0, valueAt) + JSON.stringify(modelId) + text.slice(valueAt + written.length);
}
