import { shellQuoted } from './shell-word.ts';

/** Stays below the 128 KiB that Linux allows for one argument. */
const MAX_ARGUMENT = 120_000;

/**
 * Formats a request as a curl command.
 * @param headers whole headers, quoted for the shell
 * @param body JSON
 */
export function curlCommand(
  { headers, url }: { url: string; headers: readonly string[] },
  body: string,
): string {
  const options = [...headers, "'Content-Type: application/json'"].map((header) => `  -H ${header} \\\n`);
  const head = `curl ${shellQuoted(url)} \\\n${options.join('')}  -d `;
  // No line of the body is `JSON` alone, so none ends the here-document early.
  if (body.length > MAX_ARGUMENT) return `${head}@- <<'JSON'\n${body}\nJSON`;
  return `${head}${shellQuoted(body.replaceAll('\n', '\n  '))}`;
}

/** Returns the command of a first chat. @param authorization the whole header, quoted for the shell */
export function helloCommand(baseUrl: string, model: string, authorization: string): string {
  const url = `${baseUrl}/chat/completions`;
  return curlCommand({ url, headers: [authorization] }, helloBody(model));
}

function helloBody(model: string): string {
  return `{
  "model": ${JSON.stringify(model)},
  "messages": [{ "role": "user", "content": "Hello!" }]
}`;
}
