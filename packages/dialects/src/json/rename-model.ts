const KEY = '"model"';

/**
 * Puts the gateway's model id into a provider's answer, and leaves every other byte as it is: writing a
 * parsed answer again costs more than reading it.
 * @param text valid JSON; `model`: the member of that name at its top level
 * @returns undefined if it is not certain which bytes are that member (the key occurs twice, or below the top
 *   level, or is spelled in an unusual way), and if characters are escaped needlessly, because that could
 *   hide a secret from a search in the text
 */
export function renameModel(text: string, model: unknown, modelId: string): string | undefined {
  if (text.includes('\\u') || text.includes('\\/')) return undefined;
  const at = text.indexOf(KEY);
  if (at === -1 || typeof model !== 'string') return undefined;
  // A quote inside a string is escaped, so this is a string of its own. If only one brace stands before it,
  // it is at the top level.
  if (text.lastIndexOf('{', at) !== 0 || text.lastIndexOf('[', at) !== -1) return undefined;
  const valueAt = at + KEY.length + 1;
  const written = JSON.stringify(model);
  if (text[valueAt - 1] !== ':' || !text.startsWith(written, valueAt)) return undefined;
  if (text.indexOf(KEY, valueAt) !== -1) return undefined;
  return text.slice(0, valueAt) + JSON.stringify(modelId) + text.slice(valueAt + written.length);
}
