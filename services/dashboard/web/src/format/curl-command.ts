import { shellQuoted } from './shell-word.ts';

/** Formats a first chat as a curl command. @param authorization the header, quoted for the shell */
export function curlCommand(baseUrl: string, model: string, authorization: string): string {
  const body = `{
    "model": ${JSON.stringify(model)},
    "messages": [{ "role": "user", "content": "Hello!" }]
  }`;
  return `curl ${shellQuoted(`${baseUrl}/chat/completions`)} \\
  -H ${authorization} \\
  -H 'Content-Type: application/json' \\
  -d ${shellQuoted(body)}`;
}
