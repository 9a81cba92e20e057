const KEY = '"model"';

/**
 * Replaces the model of a provider's response by the gateway's model id, without serializing it again, which
 * would cost more than parsing it.
 * @param text valid JSON; `model`: its parsed top-level `model`
 * @returns undefined if it is not certain which bytes are that member, and for needless escapes, which could
 *   hide a secret from a text search
 */
export function renameModel(text: string, model: unknown, modelId: string): string | undefined {
  if (text.includes('\\u') || text.includes('\\/')) return undefined;
  const at = text.indexOf(KEY);
  if (at === -1 || typeof model !== 'string') return undefined;
  // A quote inside a string is escaped, so this is a whole string. With only one brace before it, it is at
  // the top level.
  if (text.lastIndexOf('{', at) !== 0 || text.lastIndexOf('[', at) !== -1) return undefined;
  const valueAt = at + KEY.length + 1;
  const written = JSON.stringify(model);
  if (text[valueAt - 1] !== ':' || !text.startsWith(written, valueAt)) return undefined;
  if (text.indexOf(KEY, valueAt) !== -1) return undefined;
  return text.slice(0, valueAt) + JSON.stringify(modelId) + text.slice(valueAt + written.length);
}
