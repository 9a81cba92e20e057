import { curlCommand } from '../../format/curl-command.ts';
import { formatLiteral } from '../../format/format-literal.ts';
import { KEY_VARIABLE } from '../first-request/recipes.ts';

export interface RequestCode {
  id: string;
  /** The name of the client. */
  label: string;
  code: string;
}

interface RequestCodeInput {
  /** With /v1. */
  baseUrl: string;
  /** The body of POST /v1/chat/completions. */
  body: Readonly<Record<string, unknown>>;
}

/** Returns code that sends a request as the playground does; it reads the key from the environment. */
export function requestCode({ baseUrl, body }: RequestCodeInput): RequestCode[] {
  return [
    {
      id: 'curl',
      label: 'curl',
      code: curlCommand(baseUrl, formatLiteral(body, 'json'), `"Authorization: Bearer $${KEY_VARIABLE}"`),
    },
    { id: 'python', label: 'Python', code: python(baseUrl, body) },
    { id: 'typescript', label: 'TypeScript', code: typescript(baseUrl, body) },
  ];
}

function python(baseUrl: string, body: RequestCodeInput['body']): string {
  const fields = Object.entries(body).map(
    ([name, value]) => `    ${name}=${formatLiteral(value, 'python', '    ')},`,
  );
  return `# pip install openai
import os
from openai import OpenAI

client = OpenAI(base_url=${JSON.stringify(baseUrl)}, api_key=os.environ["${KEY_VARIABLE}"])

stream = client.chat.completions.create(
${fields.join('\n')}
)
for chunk in stream:
    for choice in chunk.choices:
        print(choice.delta.content or "", end="")
        for call in choice.delta.tool_calls or []:
            print(call.function.name or "", call.function.arguments or "", end="")`;
}

function typescript(baseUrl: string, body: RequestCodeInput['body']): string {
  return `// npm install openai
import OpenAI from 'openai';

const client = new OpenAI({ baseURL: ${JSON.stringify(baseUrl)}, apiKey: process.env.${KEY_VARIABLE} });

const stream = await client.chat.completions.create(${formatLiteral(body, 'javascript')});
for await (const chunk of stream) {
  for (const { delta } of chunk.choices) {
    process.stdout.write(delta.content ?? '');
    for (const call of delta.tool_calls ?? []) {
      process.stdout.write(\`\${call.function?.name ?? ''}\${call.function?.arguments ?? ''}\`);
    }
  }
}`;
}
