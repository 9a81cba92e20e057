import { createServer, type ServerResponse } from 'node:http';
import { closeServer, listen } from '@model-gateway/service-kit';
import {
  modelEntry,
  postJson,
  providerEntry,
  startGateway,
  type TestGateway,
  until,
} from '@model-gateway/test-kit';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { bodyBudgetBounds, createBodyBudget } from '../../src/memory/body-budget.ts';

const MEBIBYTE = 1024 * 1024;

/** A provider of both APIs that records its requests. */
const received: { url: string; body: unknown; bytes: number }[] = [];
let failures = 0;
const provider = createServer((req, res) => {
  const chunks: Buffer[] = [];
  req.on('data', (chunk: Buffer) => chunks.push(chunk));
  req.on('end', () => {
    const bytes = Buffer.concat(chunks);
    received.push({ url: req.url ?? '', body: JSON.parse(bytes.toString()), bytes: bytes.length });
    if (failures-- > 0) answer(res, 500, {});
    else answer(res, 200, req.url?.endsWith('/messages') ? MESSAGE : COMPLETION);
  });
});

function answer(res: ServerResponse, status: number, body: object): void {
  res.writeHead(status, { 'content-type': 'application/json' });
  res.end(JSON.stringify(body));
}

const MESSAGE = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'm',
  content: [{ type: 'text', text: 'hello' }],
  stop_reason: 'end_turn',
  usage: { input_tokens: 1, output_tokens: 1 },
};
const COMPLETION = {
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: 'hello' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
};

/** Has memory for little more than one body. */
const bodyBudget = createBodyBudget(bodyBudgetBounds(128 * MEBIBYTE, 25 * MEBIBYTE));
let gateway: TestGateway;
let rawKey: string;

beforeAll(async () => {
  const port = await listen(provider, 0, '127.0.0.1');
  const baseUrl = `http://127.0.0.1:${port}/v1`;
  const chat = (id: string, ...providers: string[]) =>
    modelEntry(`acme/${id}`, Object.fromEntries(providers.map((one) => [one, `${one}-model`])));
  gateway = await startGateway({
    overrides: { bodyBudget },
    document: () => ({
      providers: [
        providerEntry('claude', baseUrl, { kind: 'anthropic' }),
        providerEntry('open', baseUrl),
        providerEntry('other', baseUrl),
      ],
      models: [
        chat('claude', 'claude'),
        chat('open', 'open'),
        chat('open-then-claude', 'open', 'claude'),
        chat('open-then-other', 'open', 'other'),
        chat('claude-then-open', 'claude', 'open'),
      ],
    }),
  });
  ({ rawKey } = await gateway.createKey());
});
afterAll(async () => {
  await gateway.close();
  await closeServer(provider, 0);
});
afterEach(async () => {
  received.length = 0;
  failures = 0;
  await until(() => bodyBudget.usedBytes === 0 && bodyBudget.waitingClaims === 0);
});

/** Large enough to be parsed in the worker thread. */
const LARGE = 'ä"\\n'.repeat(MEBIBYTE / 2);
const HUGE = 'x'.repeat(19 * MEBIBYTE);

const anyAnswer = z.looseObject({
  error: z.looseObject({ message: z.string(), param: z.string().nullish() }).nullish(),
});

async function post(path: string, body: object) {
  const response = await postJson(gateway.baseUrl, rawKey, path, body);
  return {
    status: response.status,
    headers: response.headers,
    body: anyAnswer.parse(await response.json()),
  };
}

const request = (model: string, content: string, more: object = {}) => ({
  model: `acme/${model}`,
  max_tokens: 9,
  messages: [{ role: 'user', content }],
  ...more,
});
/** Returns the same request in Responses. */
const responses = (model: string, content: string, more: object = {}) => ({
  model: `acme/${model}`,
  max_output_tokens: 9,
  input: [{ role: 'user', content }],
  ...more,
});
const requestOf = (path: string) => (path === 'responses' ? responses : request);
const SEARCH = { tools: [{ type: 'web_search_20250305', name: 'w' }] };
const REFUSED: Readonly<Record<string, object>> = {
  messages: SEARCH,
  responses: { top_logprobs: 2 },
  'chat/completions': { n: 2 },
};
/** Returns the JSON without its long text. */
const shown = (body: unknown) => JSON.stringify(body).replaceAll(JSON.stringify(LARGE), '"…"');

describe.each([
  ['messages', 'open', { metadata: { user_id: 'u' } }],
  ['chat/completions', 'claude', { user: 'u', notre: { a: 1 } }],
  ['responses', 'open', { user: 'u', tools: [{ type: 'web_search' }] }],
  ['responses', 'claude', { user: 'u', tools: [{ type: 'web_search' }] }],
])('a large request of %s at a provider of another API', (path, model, more) => {
  const request = requestOf(path);

  it('a large request is translated like a small one', async () => {
    const [small, large] = [
      await post(path, request(model, '…', more)),
      await post(path, request(model, LARGE, more)),
    ];
    expect(small.status).toBe(200);
    expect(large.status).toBe(200);
    expect(large.headers.get('x-gateway-ignored')).toBe(small.headers.get('x-gateway-ignored'));
    expect(received).toHaveLength(2);
    expect(shown(received[1]?.body)).toBe(JSON.stringify(received[0]?.body));
    expect(received[1]?.body).toMatchObject({ model: `${model}-model` });
  });

  it('a large request is refused with the name of the field, like a small one', async () => {
    const wrong = REFUSED[path];
    const [small, large] = [
      await post(path, request(model, '…', wrong)),
      await post(path, request(model, LARGE, wrong)),
    ];
    expect(small.status).toBe(400);
    expect(large.status).toBe(400);
    const [{ error: expected }, { error }] = [small.body, large.body];
    expect(error).toMatchObject({ message: expected?.message, param: expected?.param });
    expect(error?.param).toMatch(/^(tools|n|top_logprobs)/);
    expect(received).toEqual([]);
  });

  it('a request of the largest size fits into the memory budget', async () => {
    const { status } = await post(path, request(model, HUGE));
    expect(status).toBe(200);
    expect(received[0]?.bytes).toBeGreaterThan(HUGE.length);
  });
});

describe('a large request after a provider that failed', () => {
  it.each([
    ['messages', 'open-then-other', ['/v1/chat/completions', '/v1/chat/completions']],
    ['messages', 'open-then-claude', ['/v1/chat/completions', '/v1/messages']],
    ['messages', 'claude-then-open', ['/v1/messages', '/v1/chat/completions']],
    ['responses', 'open-then-claude', ['/v1/chat/completions', '/v1/messages']],
    ['responses', 'claude-then-open', ['/v1/messages', '/v1/chat/completions']],
    ['chat/completions', 'open-then-claude', ['/v1/chat/completions', '/v1/messages']],
    ['chat/completions', 'claude-then-open', ['/v1/messages', '/v1/chat/completions']],
  ])('a large request of %s for %s goes to the next provider complete', async (path, model, urls) => {
    failures = 1;
    const { status } = await post(path, requestOf(path)(model, LARGE));
    expect(status).toBe(200);
    expect(received.map(({ url }) => url)).toEqual(urls);
    for (const { body } of received)
      expect(JSON.stringify(body)).toContain(JSON.stringify(LARGE).slice(1, -1));
  });

  it('a large request that is too large to keep fails with its first provider', async () => {
    failures = 1;
    const { body, status } = await post('messages', request('open-then-claude', HUGE));
    expect(status).toBe(502);
    expect(body).toMatchObject({ error: { code: 'upstream_error' } });
    expect(received).toHaveLength(1);
  });
});
