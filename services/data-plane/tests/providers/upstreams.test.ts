import type { ServerResponse } from 'node:http';
import {
  chatBody,
  envelopeOf,
  modelEntry,
  PROVIDER_CREDENTIAL,
  postJson,
  providerEntry,
  startGateway,
  startGatewayWithKey,
  until,
  withGateway,
  withStarted,
} from '@model-gateway/test-kit';
import { beforeEach, describe, expect, it } from 'vitest';
import { startSimulatedProvider } from '../../../../packages/simulated-provider/src/index.ts';
import { startScriptedProvider } from './scripted-provider.ts';

/** A second provider beside the gateway's own. */
const second = withStarted(() => startSimulatedProvider({ apiKey: PROVIDER_CREDENTIAL, tokenDelayMs: 0 }));
const gateway = withGateway(() => ({
  document: (baseUrl) => ({
    providers: [providerEntry('first', baseUrl), providerEntry('second', second.baseUrl)],
    models: [
      model('spread', [upstream('first', 1, 3), upstream('second', 1, 1)]),
      model('spare', [upstream('first', 1), upstream('second', 2)]),
      model('alone', [upstream('first', 1)]),
    ],
  }),
}));
beforeEach(() => {
  second.clear();
});

const upstream = (id: string, priority: number, weight = 1) => {
  return { provider: id, model: 'sim-chat-free', priority, weight };
};
const model = (name: string, upstreams: ReturnType<typeof upstream>[]) =>
  modelEntry(`first/${name}`, {}, { upstreams });

const completion = (content: string) => ({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1,
  model: 'sim-chat-free',
  choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
});

const chat = (name: string, extra: object = {}) => gateway.chat({ model: `first/${name}`, ...extra });

const counts = () => [gateway.provider.requests.length, second.requests.length];

describe('several upstreams', () => {
  it('several upstreams share conversations by weight', async () => {
    const ask = (_: unknown, index: number) =>
      chat('spread', { max_tokens: 1, messages: [{ role: 'user', content: `hi ${index}` }] });
    await Promise.all(Array.from({ length: 200 }, ask));
    const [first = 0, other = 0] = counts();
    expect(first + other).toBe(200);
    expect(first).toBeGreaterThan(120);
    expect(first).toBeLessThan(180);
  });

  it.each([
    ['says 500', { status: 500 }],
    ['says 429', { status: 429 }],
    ['refuses our credential', { status: 401 }],
    ['resets', { reset: 'before_headers' as const }],
    ['sends HTML', { rubbish: 'html' as const }],
  ])(
    'another upstream serves when one %s, also for a stream, and the log names both',
    async (_name, fault) => {
      for (const stream of [false, true]) {
        gateway.provider.script(fault);
        const answer = await chat('spare', { stream, max_tokens: 3 });
        expect(answer.status).toBe(200);
        expect(answer.headers.get('x-gateway-model')).toBe('first/spare');
      }
      expect(counts()).toEqual([2, 2]);
      expect(gateway.logLines('"attempts"').at(-1)?.attempts).toMatchObject([
        { provider: 'first', outcome: 'failed' },
        { provider: 'second', outcome: 'completed' },
      ]);
    },
  );

  it('no other upstream is asked when one rejects the request', async () => {
    gateway.provider.script({ status: 400, message: 'no such tool' });
    const answer = await chat('spare');
    expect(answer.status).toBe(400);
    expect(envelopeOf(answer)).toMatchObject({ code: 'upstream_rejected', message: 'no such tool' });
    expect(counts()).toEqual([1, 0]);
  });

  it('no other upstream is asked after the first byte', async () => {
    gateway.provider.script({ reset: { after_events: 2 } });
    expect((await chat('spare', { stream: true })).isBroken).toBe(true);
    expect(counts()).toEqual([1, 0]);
  });
});

describe('a response that was not requested as a stream', () => {
  /** A gateway whose first provider calls everything an event stream, and the body of one plain request. */
  async function withMistakenProvider(respond: (res: ServerResponse) => void) {
    const stack = new AsyncDisposableStack();
    const provider = stack.use(
      await startScriptedProvider((res) => {
        res.writeHead(200, { 'content-type': 'text/event-stream' });
        respond(res);
      }),
    );
    const own = stack.use(
      await startGateway({
        document: () => ({
          providers: [providerEntry('mistaken', provider.baseUrl), providerEntry('second', second.baseUrl)],
          models: [modelEntry('mistaken/plain', { mistaken: 'sim-chat-free', second: 'sim-chat-free' })],
        }),
      }),
    );
    const key = await own.createKey();
    const ask = () =>
      postJson(own.baseUrl, key.rawKey, 'chat/completions', chatBody({ model: 'mistaken/plain' }));
    return { own, key, ask, [Symbol.asyncDispose]: () => stack.disposeAsync() };
  }

  it.each([
    ['sends events all the same', ': hello\n\ndata: [DONE]\n\n', 'second'],
    ['calls its JSON events', JSON.stringify(completion('hi')), 'mistaken'],
  ])('a plain response is read as what it is when a provider %s', async (_name, body, answeredBy) => {
    await using mistaken = await withMistakenProvider((res) => void res.end(body));
    const response = await mistaken.ask();
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    await response.text();
    const logged = () => mistaken.own.logLines('"/v1/chat/completions"').at(0);
    await until(() => logged() !== undefined);
    const entry = logged();
    expect(entry).toMatchObject({ provider: answeredBy, status: 200 });
    expect(entry).not.toHaveProperty('streamed');
  });

  it('a plain response arrives complete when its key is revoked meanwhile', async () => {
    const { promise: begun, resolve: begin } = Promise.withResolvers<ServerResponse>();
    await using mistaken = await withMistakenProvider((res) => {
      res.write(' ');
      begin(res);
    });
    const asked = mistaken.ask();
    const upstreamAnswer = await begun;
    await mistaken.own.revokeKey(mistaken.key.id);
    await until(async () => (await mistaken.ask()).status === 401);
    upstreamAnswer.end(JSON.stringify(completion('whole')));
    const response = await asked;
    expect(response.status).toBe(200);
    expect(await response.text()).toContain('whole');
  });
});

describe('a single upstream', () => {
  it('a single upstream is asked once more when its connection fails, and only then', async () => {
    gateway.provider.script({ reset: 'before_headers' });
    expect((await chat('alone')).status).toBe(200);
    expect(counts()).toEqual([2, 0]);
    gateway.provider.clear();
    gateway.provider.script({ reset: 'before_headers' }, { reset: 'before_headers' });
    expect((await chat('alone')).status).toBe(502);
    expect(counts()).toEqual([2, 0]);
    gateway.provider.clear();
    gateway.provider.script({ status: 500 });
    expect((await chat('alone')).status).toBe(502);
    expect(counts()).toEqual([1, 0]);
  });

  it('a single upstream that keeps failing gets no requests for a while, and callers 503 at once', async () => {
    await using failing = await startGatewayWithKey();
    const ask = () => failing.chat({ simulate: { status: 500 } });
    const statuses: number[] = [];
    while (!statuses.includes(503) && statuses.length < 100) statuses.push((await ask()).status);
    expect(statuses.length).toBeGreaterThanOrEqual(20);
    expect(statuses.length).toBeLessThan(60);
    const asked = failing.provider.requests.length;
    const refused = await ask();
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
    expect(envelopeOf(refused).code).toBe('model_unavailable');
    expect(failing.provider.requests.length).toBe(asked);
    // It is tried again after five seconds, and all is well.
    await until(async () => (await failing.chat()).status === 200);
    expect((await failing.chat()).status).toBe(200);
  });
});

it('retries stay within their budget of ten in ten seconds', async () => {
  await using failing = await startGatewayWithKey();
  const answers = await Promise.all(
    Array.from({ length: 15 }, () => failing.chat({ simulate: { reset: 'before_headers' } })),
  );
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 15 }, () => 502));
  expect(failing.provider.requests.length).toBe(25);
});
