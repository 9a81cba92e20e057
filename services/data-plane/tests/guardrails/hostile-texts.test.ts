import type { ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { modelEntry, providerEntry, until, withGateway } from '@model-gateway/test-kit';
import { describe, expect, it } from 'vitest';
import {
  APIS,
  type Api,
  eventsOf,
  PATHS,
  requestOf,
  sendEvents,
  sendJsonAnswer,
  USAGE,
  wholeOf,
  withServer,
} from './guarded-gateway.ts';

const WORD = 'PLUTONIUM';
const LONG = 'This sentence is here because the gateway holds the end of a text back for a while. ';
const PRICES = { input_per_million_usd: '1', output_per_million_usd: '2' };
const provider = withServer();
const other = withServer();
const guard = withServer();
const patterns = [
  { name: 'word', pattern: WORD },
  { name: 'name', pattern: 'Alice', action: 'replace' as const, replacement: 'PERSON' },
];
const gateway = withGateway(() => ({
  overrides: { streamTimings: { keepAliveMs: 2_000 } },
  document: () => ({
    providers: [
      providerEntry('chat', provider.url),
      providerEntry('messages', provider.url, { kind: 'anthropic' }),
      providerEntry('responses', provider.url, { apis: ['chat', 'responses'] }),
      providerEntry('other', other.url, { apis: ['chat', 'responses'] }),
    ],
    models: [
      ...APIS.flatMap((api) => [
        modelEntry(`${api}/checked`, { [api]: 'm' }, { guardrails: ['words'] }),
        modelEntry(
          `${api}/served`,
          { [api]: 'm', other: 'm' },
          { tier: 'paid', pricing: PRICES, guardrails: ['service'] },
        ),
      ]),
      modelEntry('responses/named', { responses: 'm' }, { guardrails: ['words'], fallbacks: ['other/free'] }),
      modelEntry('other/free', { other: 'm' }),
    ],
    guardrails: [
      { id: 'words', kind: 'patterns', patterns },
      { id: 'service', kind: 'http', url: `${guard.url}/check`, deadline_ms: 6_000 },
    ],
  }),
}));

/** A request whose message has these text parts. */
function withParts(api: Api, texts: readonly string[]): object {
  const content = texts.map((text) => ({ type: api === 'responses' ? 'input_text' : 'text', text }));
  return { [api === 'responses' ? 'input' : 'messages']: [{ role: 'user', content }] };
}

describe('a text that a message has in several parts', () => {
  it.each(APIS)('is checked as one in requests of %s', async (api) => {
    sendJsonAnswer(provider, wholeOf(api, {}));
    const blocked = await gateway.ask(
      PATHS[api],
      requestOf(api, withParts(api, ['About PLUTO', 'NIUM. Now.'])),
    );
    expect(blocked.status, blocked.body).toBe(403);
    expect(provider.bodies).toEqual([]);
    const replaced = await gateway.ask(
      PATHS[api],
      requestOf(api, withParts(api, ['Ask Alice, then Al', 'ice.'])),
    );
    expect(replaced.status, replaced.body).toBe(200);
    expect(provider.bodies[0]).toContain('"Ask PERSON, then PERSON."');
    const kept = await gateway.ask(PATHS[api], requestOf(api, withParts(api, ['Ask Alice.', 'Or Bob.'])));
    expect(kept.status, kept.body).toBe(200);
    expect(provider.bodies[1]).toMatch(/"Ask PERSON\."[^"]+"[^"]+".*"Or Bob\."/);
  });

  it('is checked as one in whole responses', async () => {
    const parts = ['It is PLUTO', 'NIUM.'];
    const content = parts.map((text) => ({ type: 'output_text', text, annotations: [] }));
    const message = { id: 'msg_1', type: 'message', role: 'assistant', status: 'completed', content };
    sendJsonAnswer(provider, { ...wholeOf('responses', {}), output: [message] });
    expect((await gateway.ask(PATHS.responses, requestOf('responses'))).status).toBe(403);
    const blocks = parts.map((text) => ({ type: 'text', text }));
    sendJsonAnswer(provider, { ...wholeOf('messages', {}), content: blocks });
    expect((await gateway.ask(PATHS.messages, requestOf('messages'))).status).toBe(403);
  });
});

describe('a tool of a request', () => {
  const schemaWith = (member: object) => ({
    type: 'object',
    properties: { place: { type: 'string', ...member } },
  });
  it.each([
    ['an allowed value', { enum: ['here', WORD] }],
    ['a default', { default: WORD }],
    ['a title', { title: WORD }],
    ['an example with the name of a schema word', { examples: [{ type: WORD }] }],
  ])('is checked with %s in its schema', async (_name, member) => {
    const tools = {
      chat: [{ type: 'function', function: { name: 'go', parameters: schemaWith(member) } }],
      messages: [{ name: 'go', input_schema: schemaWith(member) }],
      responses: [{ type: 'function', name: 'go', parameters: schemaWith(member), strict: false }],
    };
    for (const api of APIS) {
      sendJsonAnswer(provider, wholeOf(api, {}));
      const answer = await gateway.ask(PATHS[api], requestOf(api, { tools: tools[api] }));
      expect(answer.status, answer.body).toBe(403);
    }
  });

  it('is checked with its grammar', async () => {
    const format = { type: 'grammar', syntax: 'lark', definition: `start: "${WORD}"` };
    const tools = [{ type: 'custom', name: 'go', format }];
    sendJsonAnswer(provider, wholeOf('responses', {}));
    expect((await gateway.ask(PATHS.responses, requestOf('responses', { tools }))).status).toBe(403);
  });
});

describe('a service that answers badly', () => {
  it.each(APIS)('cannot turn the arguments of %s into another kind of JSON', async (api) => {
    guard.answer((_req, res, body) => {
      const texts = JSON.parse(body).texts.map((text: string) => (text.startsWith('{') ? '[]' : text));
      res.end(JSON.stringify({ action: 'GUARDRAIL_INTERVENED', texts }));
    });
    const served = { model: `${api}/served` };
    sendJsonAnswer(provider, wholeOf(api, {}));
    const whole = await gateway.ask(PATHS[api], requestOf(api, served));
    expect(JSON.parse(whole.body).error.code).toBe('guardrail_unavailable');
    sendEvents(provider, eventsOf(api, 'arguments', ['{"q":', '"x"}']));
    const streamed = await gateway.ask(PATHS[api], requestOf(api, { ...served, stream: true }));
    expect(streamed.body).toContain('guardrail_unavailable');
    const { attempts, settled_usd } = await gateway.receiptOf(streamed);
    // The provider is not to blame, so no other one is asked.
    expect(attempts).toMatchObject([
      { code: 'guardrail_unavailable', error: 'the guardrail "service" failed' },
    ]);
    expect(Number(settled_usd)).toBeCloseTo((USAGE.input + 2 * USAGE.output) / 1e6, 9);
  });

  it.each<[string, Parameters<typeof guard.answer>[0]]>([
    ['sends a byte now and then', (_req, res) => void drip(res, ' ', 20)],
    ['sends without an end', (_req, res) => void drip(res, Buffer.alloc(4_000_000), 5)],
    ['refuses without an end', (_req, res) => void drip(res.writeHead(500), 'x', 20)],
    [
      'redirects with a body',
      (_req, res) => void res.writeHead(307, { location: '/x' }).end('x'.repeat(1e6)),
    ],
    ['breaks off', (_req, res) => void res.write('{"action":', () => res.destroy())],
    ['nests deeply', (_req, res) => void res.end(`{"action":"NONE","texts":${'['.repeat(100_000)}`)],
  ])('lets nothing pass, and keeps no connection, if it %s', async (_name, handle) => {
    let open = 0;
    guard.answer((req, res, body) => {
      open += 1;
      res.on('close', () => (open -= 1));
      handle(req, res, body);
    });
    sendJsonAnswer(provider, wholeOf('chat', {}));
    const answer = await gateway.ask(PATHS.chat, requestOf('chat', { model: 'chat/served' }));
    expect(answer.status, answer.body).toBe(503);
    expect(provider.bodies).toEqual([]);
    await until(() => open === 0);
  });
});

describe('a stream whose first text is checked for long', () => {
  it.each(APIS)('gets keep-alives, and then the end of a stream of %s if it is blocked', async (api) => {
    guard.answer(async (_req, res, body) => {
      const isRequest = JSON.parse(body).input_type === 'request';
      if (!isRequest) await wait(3_500);
      res.end(JSON.stringify({ action: isRequest ? 'NONE' : 'BLOCKED' }));
    });
    sendEvents(provider, eventsOf(api, 'text', [LONG, LONG]));
    const members = { model: `${api}/served`, stream: true };
    const answer = await gateway.ask(PATHS[api], requestOf(api, members));
    expect(answer.status, answer.body).toBe(200);
    expect(answer.isBroken).toBe(false);
    expect(answer.body).toMatch(/keep-alive|event: ping/);
    expect(answer.body).not.toContain('sentence');
    expect(answer.body).toMatch(/content_filter|refusal/);
    const { code, settled_usd, status } = await gateway.receiptOf(answer);
    expect([status, code]).toEqual([200, 'content_blocked']);
    expect(Number(settled_usd)).toBeGreaterThan(0);
  });
});

describe('a client that leaves', () => {
  it.each([
    ['request', 0],
    ['response', 1],
  ])('during the check of its %s leaves no connection to the service', async (direction, calls) => {
    let open = 0;
    guard.answer((_req, res, body) => {
      if (JSON.parse(body).input_type !== direction) return void res.end('{"action":"NONE"}');
      open += 1;
      res.on('close', () => (open -= 1));
    });
    sendJsonAnswer(provider, wholeOf('chat', {}));
    const before = await gateway.books.query('SELECT FROM usage_records');
    const leaving = new AbortController();
    const asking = gateway
      .post(PATHS.chat, requestOf('chat', { model: 'chat/served' }), { signal: leaving.signal })
      .catch(() => undefined);
    await until(() => open === 1);
    leaving.abort();
    await asking;
    await until(() => open === 0);
    expect(provider.bodies).toHaveLength(calls);
    // What the provider wrote is charged, once.
    await until(
      async () => (await gateway.books.query('SELECT FROM usage_records')).length === before.length + calls,
    );
  });
});

describe('the events of a stream', () => {
  const chunk = (content: string, sources: string[], finish: string | null = null) =>
    `data: ${JSON.stringify({
      ...{ id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'm', sources },
      choices: [{ index: 0, delta: { content }, finish_reason: finish }],
    })}\n\n`;
  const END = `${chunk('', [], 'stop')}data: [DONE]\n\n`;
  const ask = () => gateway.ask(PATHS.chat, requestOf('chat', { model: 'chat/served', stream: true }));

  it('are sorted in time that grows with their number, also during a slow check', async () => {
    guard.answer((_req, res) => void setTimeout(() => res.end('{"action":"NONE"}'), 200));
    const events = Array.from({ length: 2_000 }, (_, index) => chunk('', [`source ${index}`]));
    provider.answer(async (_req, res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' }).write(chunk('', ['first']));
      await wait(50);
      res.end(events.join('') + END);
    });
    const startedAt = process.cpuUsage();
    const answer = await ask();
    expect(answer.isBroken).toBe(false);
    expect(answer.body).toContain('source 1999');
    // In cubic time it takes more than ten seconds.
    expect(process.cpuUsage(startedAt).user / 1_000).toBeLessThan(5_000);
  });

  it('cost no check for sources that were checked before', async () => {
    guard.answer((_req, res) => void res.end('{"action":"NONE"}'));
    provider.answer(async (_req, res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      for (let index = 0; index < 40; index++) {
        res.write(chunk(`Word${index}. `, ['https://source.example']));
        await wait(5);
      }
      res.end(END);
    });
    const answer = await ask();
    expect(answer.body).toContain('Word39');
    const checked = guard.bodies.flatMap((body) => JSON.parse(body).texts);
    expect(checked.filter((text) => text.includes('source.example'))).toHaveLength(1);
  });
});

describe('a response that a fallback stores at its provider', () => {
  it('is checked by the guardrails of the model in the request when it is read', async () => {
    provider.answer((_req, res) => void res.writeHead(500).end());
    const events = eventsOf('responses', 'text', [LONG, LONG, `It is ${WORD}.`]);
    const at = events.indexOf('\n\n', events.lastIndexOf(LONG, events.indexOf('It is'))) + 2;
    other.answer(async (req, res) => {
      if (req.url?.includes('resp_1'))
        return void res
          .writeHead(200, { 'content-type': 'application/json' })
          .end(JSON.stringify(wholeOf('responses', { text: WORD })));
      res.writeHead(200, { 'content-type': 'text/event-stream' }).write(events.slice(0, at));
      await wait(200);
      res.end(events.slice(at));
    });
    const members = { model: 'responses/named', stream: true, store: true };
    const answer = await gateway.ask(PATHS.responses, requestOf('responses', members));
    const [, id] = /"id":"(resp_[^"]+)"/.exec(answer.body) ?? [];
    expect(answer.headers.get('x-gateway-model')).toBe('other/free');
    expect(answer.body).not.toContain(WORD);
    const headers = { authorization: `Bearer ${gateway.rawKey}` };
    for (const path of ['', '/cancel']) {
      const method = path === '/cancel' ? 'POST' : 'GET';
      const read = await fetch(`${gateway.baseUrl}/v1/responses/${id}${path}`, { method, headers });
      expect(await read.text()).not.toContain(WORD);
      expect(read.status).toBe(403);
    }
  });

  it('is deleted although the guardrail is down', async () => {
    const deleted = { id: 'resp_1', object: 'response', deleted: true };
    const id = await storedId();
    guard.answer((req) => void req.destroy());
    sendJsonAnswer(provider, deleted);
    const headers = { authorization: `Bearer ${gateway.rawKey}` };
    const response = await fetch(`${gateway.baseUrl}/v1/responses/${id}`, { method: 'DELETE', headers });
    expect(await response.json()).toMatchObject({ deleted: true });
  });

  async function storedId(): Promise<string> {
    guard.answer((_req, res) => void res.end('{"action":"NONE"}'));
    sendJsonAnswer(provider, wholeOf('responses', {}));
    const members = { model: 'responses/served', store: true };
    const answer = await gateway.ask(PATHS.responses, requestOf('responses', members));
    return JSON.parse(answer.body).id;
  }
});

async function drip(res: ServerResponse, piece: string | Buffer, everyMs: number) {
  while (!res.closed && res.writable) {
    res.write(piece);
    await wait(everyMs);
  }
}
