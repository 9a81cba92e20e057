export type Language = 'json' | 'python' | 'javascript';

const MAX_WIDTH = 90;

/**
 * Formats a JSON value as a literal of a language, each part on one line if it fits.
 * @param indent the spaces before the line on which it starts
 */
export function formatLiteral(value: unknown, language: Language, indent = ''): string {
  if (typeof value !== 'object' || value === null) return formatScalar(value, language);
  const isArray = Array.isArray(value);
  const inner = `${indent}  `;
  const parts = isArray
    ? value.map((item) => formatLiteral(item, language, inner))
    : Object.entries(value).map(
        ([key, item]) => `${formatKey(key, language)}: ${formatLiteral(item, language, inner)}`,
      );
  const [open, close] = isArray ? '[]' : '{}';
  const space = isArray || language === 'python' || parts.length === 0 ? '' : ' ';
  const line = `${open}${space}${parts.join(', ')}${space}${close}`;
  if (indent.length + line.length <= MAX_WIDTH && !line.includes('\n')) return line;
  const end = language === 'json' ? '' : ',';
  return `${open}\n${parts.map((part) => inner + part).join(',\n')}${end}\n${indent}${close}`;
}

/** Python reads the escapes of JSON, and has other words for three values. */
const PYTHON_WORDS: Record<string, string | undefined> = { true: 'True', false: 'False', null: 'None' };

function formatScalar(value: unknown, language: Language): string {
  const json = JSON.stringify(value) ?? 'null';
  return (language === 'python' ? PYTHON_WORDS[json] : undefined) ?? json;
}

function formatKey(key: string, language: Language): string {
  return language === 'javascript' && /^[a-zA-Z_$][\w$]*$/.test(key) ? key : JSON.stringify(key);
}
