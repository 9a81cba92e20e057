import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Requests as coding agents send them, made of files of this repository. */
export interface AgentRequest {
  name: string;
  path: 'messages' | 'responses' | 'chat/completions';
  model: 'agent/claude' | 'agent/gpt';
  body: Record<string, unknown>;
  /** Bytes of base64 in the body. */
  mediaBytes: number;
  /** Number of images in the body. */
  images: number;
  /** Number of files in the body. */
  files: number;
  maxTokens: number;
  /** Number of words in the model's output. */
  words: number;
}

const ROOT = join(import.meta.dirname, '../../../..');
const source = (folder: string) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(?:ts|md|sql|yaml)$/.test(name))
    .toSorted()
    .map((name) => ({ name: join(folder, name), text: readFileSync(join(ROOT, folder, name), 'utf8') }));
const FILES = [...source('services/data-plane/src'), ...source('docs'), ...source('prisma/functions')];
const INSTRUCTIONS = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8').repeat(3);

/** Returns numbered lines, as tools for reading files print them. */
const numbered = (text: string) =>
  text
    .split('\n')
    .map((line, index) => `${String(index + 1).padStart(6)}\t${line}`)
    .join('\n');

/** Returns files with about this many bytes in total. */
function filesOf(bytes: number, from = 0) {
  const taken: typeof FILES = [];
  for (let left = bytes, at = from; left > 0; at++) {
    const file = FILES[at % FILES.length];
    if (file === undefined) break;
    taken.push({ ...file, text: file.text.slice(0, left) });
    left -= file.text.length;
  }
  return taken;
}

const schema = {
  type: 'object',
  properties: {
    file_path: { type: 'string', description: 'The absolute path to the file. It must not be relative.' },
    offset: { type: 'number', description: 'The line to start from. Only for files that are too large.' },
    limit: { type: 'number', description: 'How many lines to read. Only for files that are too large.' },
  },
  required: ['file_path'],
};
const describeTool = (name: string) => `${name}: ${INSTRUCTIONS.slice(0, 2_500)}`;
const TOOLS = ['Read', 'Write', 'Edit', 'Bash', 'Grep', 'Glob', 'Task', 'TodoWrite', 'WebFetch'];
const claudeTools = TOOLS.map((name) => ({ name, description: describeTool(name), input_schema: schema }));
const gptTools = TOOLS.map((name) => ({
  type: 'function',
  name,
  description: describeTool(name),
  parameters: schema,
  strict: false,
}));

/** Returns random bytes as base64, in place of a picture. */
const picture = (bytes: number) => randomBytes(bytes).toString('base64');

/** Returns a PDF with pages of 40 kB as base64. */
function pdf(pages: number): string {
  const page = () =>
    Buffer.concat([Buffer.from('\n<< /Type /Page /Contents 1 0 R >>\n'), randomBytes(40_000)]);
  return Buffer.concat([Buffer.from('%PDF-1.7\n'), ...Array.from({ length: pages }, page)]).toString(
    'base64',
  );
}

function claudeCode(
  name: string,
  {
    files = 0,
    last = [],
    ttl,
    words,
    thinking,
    maxTokens = 32_000,
  }: {
    files?: number;
    last?: object[];
    ttl?: '1h';
    words: number;
    thinking?: object;
    maxTokens?: number;
  },
): AgentRequest {
  const cache_control = { type: 'ephemeral', ...(ttl === undefined ? {} : { ttl }) };
  const turns = filesOf(files).flatMap(({ name: file_path, text }, index) => [
    {
      role: 'assistant',
      content: [
        { type: 'text', text: `I look at ${file_path} next.` },
        { type: 'tool_use', id: `toolu_${index}`, name: 'Read', input: { file_path } },
      ],
    },
    {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: `toolu_${index}`, content: numbered(text) }],
    },
  ]);
  const question = { type: 'text', text: 'Find out why the test fails, and mend it.', cache_control };
  const media = last.map((block) => JSON.stringify(block).length).reduce((sum, bytes) => sum + bytes, 0);
  const images = last.filter((block) => JSON.stringify(block).includes('"type":"image"')).length;
  return {
    name,
    path: 'messages',
    model: 'agent/claude',
    body: {
      model: 'agent/claude',
      max_tokens: maxTokens,
      stream: true,
      ...(thinking === undefined ? {} : { thinking }),
      system: [{ type: 'text', text: INSTRUCTIONS, cache_control }],
      tools: claudeTools,
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'Look at this repository.' }] },
        ...turns,
        { role: 'assistant', content: [{ type: 'text', text: 'I have read them.' }] },
        { role: 'user', content: [...last, question] },
      ],
    },
    mediaBytes: media,
    images,
    files: last.length - images,
    maxTokens,
    words,
  };
}

function codex(
  name: string,
  { files, images = [], words }: { files: number; images?: string[]; words: number },
) {
  const items = filesOf(files, 40).flatMap(({ name: file_path, text }, index) => [
    {
      type: 'function_call',
      call_id: `call_${index}`,
      name: 'Read',
      arguments: JSON.stringify({ file_path }),
    },
    { type: 'function_call_output', call_id: `call_${index}`, output: text },
  ]);
  const pictures = images.map((image_url) => ({ type: 'input_image', image_url }));
  const content = [...pictures, { type: 'input_text', text: 'Find out why the test fails, and mend it.' }];
  const request: AgentRequest = {
    name,
    path: 'responses',
    model: 'agent/gpt',
    body: {
      model: 'agent/gpt',
      stream: true,
      store: false,
      prompt_cache_key: 'conversation',
      instructions: INSTRUCTIONS,
      tools: gptTools,
      input: [...items, { type: 'message', role: 'user', content }],
    },
    mediaBytes: images.reduce((sum, url) => sum + url.length, 0),
    images: images.length,
    files: 0,
    maxTokens: 128_000,
    words,
  };
  return request;
}

function plainChat(name: string, files: number, words: number): AgentRequest {
  const text = filesOf(files, 80)
    .map((file) => `<file path="${file.name}">\n${file.text}\n</file>`)
    .join('\n');
  const messages = [
    { role: 'system', content: INSTRUCTIONS },
    { role: 'user', content: text },
  ];
  const body = { model: 'agent/gpt', max_tokens: 8_192, messages };
  const none = { mediaBytes: 0, images: 0, files: 0 };
  return { name, path: 'chat/completions', model: 'agent/gpt', body, ...none, maxTokens: 8_192, words };
}

const image = (data: string) => ({
  type: 'image',
  source: { type: 'base64', media_type: 'image/png', data },
});
const document = (data: string) => ({
  type: 'document',
  source: { type: 'base64', media_type: 'application/pdf', data },
});

export const AGENT_REQUESTS: readonly AgentRequest[] = [
  claudeCode('Claude Code: first turn', { words: 300 }),
  claudeCode('Claude Code: 150 kB of files', { files: 150_000, words: 800 }),
  claudeCode('Claude Code: 600 kB conversation', { files: 600_000, words: 1_500 }),
  claudeCode('Claude Code: cached for 1 h', { files: 200_000, ttl: '1h', words: 600 }),
  claudeCode('Claude Code: thinking', {
    files: 80_000,
    thinking: { type: 'enabled', budget_tokens: 31_999 },
    maxTokens: 64_000,
    words: 2_000,
  }),
  claudeCode('Claude Code: two pictures', {
    files: 60_000,
    last: [image(picture(300_000)), image(picture(200_000))],
    words: 400,
  }),
  claudeCode('Claude Code: PDF, 20 pages', { files: 30_000, last: [document(pdf(20))], words: 700 }),
  codex('Codex: 60 kB of files', { files: 60_000, words: 500 }),
  codex('Codex: 400 kB, a picture', {
    files: 400_000,
    images: [`data:image/png;base64,${picture(250_000)}`],
    words: 1_200,
  }),
  plainChat('Chat, plain: 120 kB', 120_000, 1_000),
];
