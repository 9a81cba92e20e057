import { shellQuoted } from './shell-word.ts';

/** Stays below the 128 KiB that Linux allows for one argument. */
const MAX_ARGUMENT = 120_000;

/**
 * Formats a chat as a curl command.
 * @param body JSON
 * @param authorization the whole header, quoted for the shell
 */
export function curlCommand(baseUrl: string, body: string, authorization: string): string {
  const head = `curl ${shellQuoted(`${baseUrl}/chat/completions`)} \\
  -H ${authorization} \\
  -H 'Content-Type: application/json' \\
  -d `;
  // No line of the body is `JSON` alone, so none ends the here-document early.
  if (body.length > MAX_ARGUMENT) return `${head}@- <<'JSON'\n${body}\nJSON`;
  return `${head}${shellQuoted(body.replaceAll('\n', '\n  '))}`;
}

/** Returns the body of a first chat. */
export function helloBody(model: string): string {
  return `{
  "model": ${JSON.stringify(model)},
  "messages": [{ "role": "user", "content": "Hello!" }]
}`;
}
