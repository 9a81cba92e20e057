import { helloCommand } from '../../format/curl-command.ts';
import { shellQuoted } from '../../format/shell-word.ts';

export interface RecipesInput {
  /** With /v1. */
  baseUrl: string;
  model: string;
}

export interface Recipe {
  id: string;
  label: string;
  /** The commands that install the client and run the code; undefined: none are needed. */
  run: string | undefined;
  code: string;
}

export const KEY_VARIABLE = 'GATEWAY_API_KEY';

/** Returns code for each client that sends a first request, ready to paste. */
export function recipes({ baseUrl, model }: RecipesInput): Recipe[] {
  const url = JSON.stringify(baseUrl);
  const id = JSON.stringify(model);
  return [
    {
      id: 'curl',
      label: 'curl',
      run: undefined,
      code: helloCommand(baseUrl, model, `"Authorization: Bearer $${KEY_VARIABLE}"`),
    },
    {
      id: 'python',
      label: 'Python',
      run: 'pip install openai, save it as hello.py, python3 hello.py',
      code: `import os
from openai import OpenAI

client = OpenAI(base_url=${url}, api_key=os.environ["${KEY_VARIABLE}"])

stream = client.chat.completions.create(
    model=${id},
    messages=[{"role": "user", "content": "Hello!"}],
    stream=True,
)
for chunk in stream:
    if chunk.choices:
        print(chunk.choices[0].delta.content or "", end="")`,
    },
    {
      id: 'typescript',
      label: 'TypeScript',
      run: 'npm install openai, save it as hello.mjs, node hello.mjs',
      code: `import OpenAI from 'openai';

const client = new OpenAI({ baseURL: ${url}, apiKey: process.env.${KEY_VARIABLE} });

const stream = await client.chat.completions.create({
  model: ${id},
  messages: [{ role: 'user', content: 'Hello!' }],
  stream: true,
});
for await (const chunk of stream) process.stdout.write(chunk.choices[0]?.delta.content ?? '');`,
    },
    {
      id: 'ai-sdk',
      label: 'AI SDK',
      run: 'npm install ai @ai-sdk/openai-compatible, save it as hello.mjs, node hello.mjs',
      code: `import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { streamText } from 'ai';

const gateway = createOpenAICompatible({
  name: 'gateway',
  baseURL: ${url},
  apiKey: process.env.${KEY_VARIABLE},
  includeUsage: true,
});

const { textStream } = streamText({ model: gateway(${id}), prompt: 'Hello!' });
for await (const text of textStream) process.stdout.write(text);`,
    },
    {
      id: 'langchain',
      label: 'LangChain',
      run: 'npm install @langchain/openai @langchain/core, save it as hello.mjs, node hello.mjs',
      code: `import { ChatOpenAI } from '@langchain/openai';

const chat = new ChatOpenAI({
  model: ${id},
  apiKey: process.env.${KEY_VARIABLE},
  configuration: { baseURL: ${url} },
});

const message = await chat.invoke('Hello!');
console.log(message.text);`,
    },
    {
      id: 'claude-code',
      label: 'Claude Code',
      run: 'npm install -g @anthropic-ai/claude-code',
      // Claude Code adds /v1 itself, and would send ANTHROPIC_API_KEY in addition to the token.
      code: `export ANTHROPIC_BASE_URL=${shellQuoted(baseUrl.replace(/\/v1\/?$/, ''))}
export ANTHROPIC_AUTH_TOKEN="$${KEY_VARIABLE}"
export ANTHROPIC_MODEL=${shellQuoted(model)}
export ANTHROPIC_DEFAULT_HAIKU_MODEL=${shellQuoted(model)}
unset ANTHROPIC_API_KEY
claude -p 'Hello!'`,
    },
    {
      id: 'variables',
      label: 'Other tools',
      run: undefined,
      code: `# Most programs that speak to OpenAI read these:
export OPENAI_BASE_URL=${shellQuoted(baseUrl)}
export OPENAI_API_KEY="$${KEY_VARIABLE}"`,
    },
  ];
}
