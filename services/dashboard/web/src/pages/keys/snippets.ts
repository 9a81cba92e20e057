import type { CodeTab } from '../../components/code-tabs.tsx';
import { helloCommand } from '../../format/curl-command.ts';
import { shellQuoted } from '../../format/shell-word.ts';

interface SnippetInput {
  /** With /v1. */
  baseUrl: string;
  rawKey: string;
  model: string;
}

/** Returns code that sends a first request, with the raw key, ready to paste. */
export function snippets({ baseUrl, rawKey, model }: SnippetInput): CodeTab[] {
  const authorization = shellQuoted(`Authorization: Bearer ${rawKey}`);
  return [
    { id: 'curl', label: 'curl', code: helloCommand(baseUrl, model, authorization) },
    { id: 'typescript', label: 'TypeScript', code: typescript(baseUrl, rawKey, model) },
    { id: 'python', label: 'Python', code: python(baseUrl, rawKey, model) },
  ];
}

function typescript(baseUrl: string, rawKey: string, model: string): string {
  return `// npm install openai; save this as hello.mjs; node hello.mjs
import OpenAI from 'openai';

const client = new OpenAI({
  baseURL: ${JSON.stringify(baseUrl)},
  apiKey: ${JSON.stringify(rawKey)},
});

const completion = await client.chat.completions.create({
  model: ${JSON.stringify(model)},
  messages: [{ role: 'user', content: 'Hello!' }],
});
console.log(completion.choices[0]?.message.content);`;
}

function python(baseUrl: string, rawKey: string, model: string): string {
  return `# pip install openai; save this as hello.py; python3 hello.py
from openai import OpenAI

client = OpenAI(
    base_url=${JSON.stringify(baseUrl)},
    api_key=${JSON.stringify(rawKey)},
)

completion = client.chat.completions.create(
    model=${JSON.stringify(model)},
    messages=[{"role": "user", "content": "Hello!"}],
)
print(completion.choices[0].message.content)`;
}
