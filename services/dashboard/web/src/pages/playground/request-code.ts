import type { PlaygroundApi } from '../../../../wire/playground.ts';
import { PLAYGROUND_PATHS, type RequestBody } from '../../../../wire/playground-body.ts';
import { curlCommand } from '../../format/curl-command.ts';
import { formatLiteral } from '../../format/format-literal.ts';
import { KEY_VARIABLE } from '../first-request/recipes.ts';

export interface RequestCode {
  id: string;
  /** Language or program. */
  label: string;
  code: string;
}

interface RequestCodeInput {
  /** With /v1. */
  baseUrl: string;
  api: PlaygroundApi;
  /** The body in that API. */
  body: RequestBody;
}

/** Returns code that sends a request as the playground does; it reads the key from the environment. */
export function requestCode({ api, baseUrl, body }: RequestCodeInput): RequestCode[] {
  const { curlHeaders, python, typescript } = CLIENTS[api];
  return [
    {
      id: 'curl',
      label: 'curl',
      code: curlCommand(
        { url: `${baseUrl}/${PLAYGROUND_PATHS[api]}`, headers: curlHeaders },
        formatLiteral(body, 'json'),
      ),
    },
    { id: 'python', label: 'Python', code: python(baseUrl, pythonFields(body, api)) },
    { id: 'typescript', label: 'TypeScript', code: typescript(baseUrl, formatLiteral(body, 'javascript')) },
  ];
}

/** Writes members as named arguments. Anthropic's client has none for the temperature since its version 2. */
function pythonFields({ temperature, ...body }: RequestBody, api: PlaygroundApi): string {
  const added =
    temperature === undefined ? {} : api === 'messages' ? { extra_body: { temperature } } : { temperature };
  return Object.entries({ ...body, ...added })
    .map(([name, value]) => `    ${name}=${formatLiteral(value, 'python', '    ')},`)
    .join('\n');
}

interface Client {
  /** Quoted for the shell. */
  curlHeaders: readonly string[];
  python(baseUrl: string, fields: string): string;
  typescript(baseUrl: string, body: string): string;
}

const OPENAI_PYTHON = (baseUrl: string) => `# pip install openai
import os
from openai import OpenAI

client = OpenAI(base_url=${JSON.stringify(baseUrl)}, api_key=os.environ["${KEY_VARIABLE}"])`;

const OPENAI_TYPESCRIPT = (baseUrl: string) => `// npm install openai
import OpenAI from 'openai';

const client = new OpenAI({ baseURL: ${JSON.stringify(baseUrl)}, apiKey: process.env.${KEY_VARIABLE} });`;

const BEARER = `"Authorization: Bearer $${KEY_VARIABLE}"`;

const CLIENTS: Record<PlaygroundApi, Client> = {
  chat_completions: {
    curlHeaders: [BEARER],
    python: (baseUrl, fields) => `${OPENAI_PYTHON(baseUrl)}

stream = client.chat.completions.create(
${fields}
)
for chunk in stream:
    for choice in chunk.choices:
        print(choice.delta.content or "", end="")
        for call in choice.delta.tool_calls or []:
            print(call.function.name or "", call.function.arguments or "", end="")`,
    typescript: (baseUrl, body) => `${OPENAI_TYPESCRIPT(baseUrl)}

const stream = await client.chat.completions.create(${body});
for await (const chunk of stream) {
  for (const { delta } of chunk.choices) {
    process.stdout.write(delta.content ?? '');
    for (const call of delta.tool_calls ?? []) {
      process.stdout.write(\`\${call.function?.name ?? ''}\${call.function?.arguments ?? ''}\`);
    }
  }
}`,
  },
  messages: {
    curlHeaders: [`"x-api-key: $${KEY_VARIABLE}"`, `'anthropic-version: 2023-06-01'`],
    python: (baseUrl, fields) => `# pip install anthropic
import os
from anthropic import Anthropic

client = Anthropic(base_url=${JSON.stringify(rootOf(baseUrl))}, api_key=os.environ["${KEY_VARIABLE}"])

stream = client.messages.create(
${fields}
)
for event in stream:
    if event.type == "content_block_start" and event.content_block.type == "tool_use":
        print(event.content_block.name, end=" ")
    elif event.type == "content_block_delta":
        print(getattr(event.delta, "text", ""), getattr(event.delta, "partial_json", ""), sep="", end="")`,
    typescript: (baseUrl, body) => `// npm install @anthropic-ai/sdk
import Anthropic from '@anthropic-ai/sdk';

const client = new Anthropic({ baseURL: ${JSON.stringify(rootOf(baseUrl))}, apiKey: process.env.${KEY_VARIABLE} });

const stream = await client.messages.create(${body});
for await (const event of stream) {
  if (event.type === 'content_block_start' && event.content_block.type === 'tool_use') {
    process.stdout.write(\`\${event.content_block.name} \`);
  } else if (event.type === 'content_block_delta') {
    if (event.delta.type === 'text_delta') process.stdout.write(event.delta.text);
    if (event.delta.type === 'input_json_delta') process.stdout.write(event.delta.partial_json);
  }
}`,
  },
  responses: {
    curlHeaders: [BEARER],
    python: (baseUrl, fields) => `${OPENAI_PYTHON(baseUrl)}

stream = client.responses.create(
${fields}
)
for event in stream:
    if event.type == "response.output_text.delta":
        print(event.delta, end="")
    elif event.type == "response.output_item.done" and event.item.type == "function_call":
        print(event.item.name, event.item.arguments)`,
    typescript: (baseUrl, body) => `${OPENAI_TYPESCRIPT(baseUrl)}

const stream = await client.responses.create(${body});
for await (const event of stream) {
  if (event.type === 'response.output_text.delta') process.stdout.write(event.delta);
  if (event.type === 'response.output_item.done' && event.item.type === 'function_call') {
    process.stdout.write(\`\${event.item.name} \${event.item.arguments}\`);
  }
}`,
  },
};

/** Anthropic's clients add /v1 themselves. */
function rootOf(baseUrl: string): string {
  return baseUrl.replace(/\/v1\/?$/, '');
}
