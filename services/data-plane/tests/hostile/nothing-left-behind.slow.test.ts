import { once } from 'node:events';
import { Agent, type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { addPool, metricOf, type TestGateway, until, withGateway } from '@model-gateway/test-kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answerBudgetBounds, createAnswerBudget } from '../../src/memory/answer-budget.ts';
import { bodyBudgetBounds, createBodyBudget } from '../../src/memory/body-budget.ts';
import { ProviderBreakers } from '../../src/upstream/provider-breakers.ts';
import {
  catalogOfFaults,
  MODEL_ROUTES,
  type ModelRoute,
  TOO_LARGE_BYTES,
  writeRequest,
} from '../endpoints/model-requests.ts';
import { LeftBehind } from './left-behind.ts';

const messages = [{ role: 'user', content: 'hi' }];
const CHAT = { name: '', path: 'chat/completions', model: 'chat', fields: { messages } };
const STREAMED_CHAT = { messages, stream: true };
/** How many requests take each exit of each route. */
const TIMES = 2;
const bodyBudget = createBodyBudget(bodyBudgetBounds(512 * 1024 * 1024, 25 * 1024 * 1024));
const answerBudget = createAnswerBudget(answerBudgetBounds(512 * 1024 * 1024));
let left: LeftBehind;
let rich: string;
let poor: string;
let limited: string;

const gateway = withGateway({
  ownPools: true,
  catalog: true,
  document: (baseUrl) => catalogOfFaults(baseUrl, 1),
  // A breaker would answer in the provider's place.
  overrides: {
    bodyBudget,
    answerBudget,
    breakers: new ProviderBreakers(1_000_000),
    largeAnswerBytes: 1_024,
  },
});
beforeAll(async () => {
  rich = await richKey();
  ({ rawKey: poor } = await gateway.createKey());
  limited = await richKey({
    ...{ freePerMinute: ONE, paidPerMinute: ONE, concurrentStreams: ONE },
    readsPerMinute: { value: 1_000_000 },
  });
  left = new LeftBehind(portOf(gateway));
});
afterAll(async () => {
  left[Symbol.dispose]();
});

const ONE = { value: 1 };

async function richKey(limits: object = {}): Promise<string> {
  const account = await gateway.createAccount();
  await addPool(gateway.admin, { kind: 'account', id: account }, '1000000');
  if (Object.keys(limits).length > 0)
    await gateway.admin.call(10_000, 'accounts', 'setLimits', { account, ...limits });
  return (await gateway.createKey(account)).rawKey;
}

function portOf({ baseUrl }: TestGateway): number {
  return Number(new URL(baseUrl).port);
}

interface Sending {
  key?: string;
  /** A model of the catalog; undefined: one that does not exist. */
  provider?: string;
  simulate?: object;
  contentType?: string;
  /** Cuts the body. */
  bytes?: (body: Buffer) => Buffer;
  /** Length that the request declares. */
  length?: number;
}

function open(
  route: ModelRoute,
  { key = rich, provider = 'sim', simulate, contentType, bytes, length }: Sending,
): ClientRequest {
  const body = writeRequest(route, `${provider}/${route.model}-pro`, simulate);
  const sent = bytes?.(body.bytes) ?? body.bytes;
  const request = httpRequest(`${gateway.baseUrl}/v1/${route.path}`, {
    method: 'POST',
    agent: false,
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': contentType ?? body.contentType,
      'content-length': length ?? sent.length,
    },
  });
  request.on('error', () => undefined);
  request.write(sent);
  if (length === undefined) request.end();
  return request;
}

/** Sends a request, and reads its response until it ends or breaks off. @returns its status */
async function read(request: ClientRequest): Promise<number> {
  const [answer]: IncomingMessage[] = await once(request, 'response');
  if (answer === undefined) throw new Error('no answer');
  answer.on('error', () => undefined);
  answer.resume();
  await new Promise((resolve) => answer.once('close', resolve));
  request.destroy();
  return answer.statusCode ?? 0;
}

type Exit = [name: string, statuses: number[], run: (route: ModelRoute) => Promise<number>];

const reading =
  (sending: Sending | (() => Sending)) =>
  (route: ModelRoute): Promise<number> =>
    read(open(route, typeof sending === 'function' ? sending() : sending));

/** Sends a request and leaves as soon as `moment` has come. */
const leaving =
  (sending: Sending, moment: (request: ClientRequest) => Promise<unknown>) =>
  async (route: ModelRoute): Promise<number> => {
    const request = open(route, sending);
    const closed = new Promise((resolve) => request.once('close', resolve));
    await moment(request);
    request.destroy();
    await closed;
    return 0;
  };

const flushed = (request: ClientRequest) =>
  new Promise((resolve) => request.once('socket', (socket) => socket.once('connect', resolve)));
const asked = () => {
  const before = gateway.provider.requests.length;
  return until(() => gateway.provider.requests.length > before);
};

const EXITS: Exit[] = [
  ['success', [200], reading({})],
  ['broken JSON or form', [400], reading({ bytes: (body) => body.subarray(0, -3) })],
  ['no such key', [401], reading({ key: 'nonsense' })],
  ['no money', [402], reading(() => ({ key: poor }))],
  ['no such model', [404], reading({ provider: 'no' })],
  ['too large', [413], reading({ length: TOO_LARGE_BYTES })],
  ['another media type', [415], reading({ contentType: 'text/plain' })],
  ['over the limit', [200, 429], reading(() => ({ key: limited }))],
  ['the provider fails', [502], reading({ simulate: { status: 500 } })],
  ['the provider sends rubbish', [502], reading({ simulate: { rubbish: 'html' } })],
  ['the provider is dead', [502], reading({ provider: 'dead' })],
  ['the provider cannot be used', [503], reading({ provider: 'locked' })],
  ['the provider hangs', [504], reading({ provider: 'slow', simulate: { hang: 'before_headers' } })],
  ['the answer is cut short', [200, 502], reading({ simulate: { truncate: { after_events: 1 } } })],
  ['the answer is reset', [200, 502], reading({ simulate: { reset: { after_events: 1 } } })],
  ['the answer stops', [200, 504], reading({ provider: 'slow', simulate: { hang: { after_events: 1 } } })],
  ['the client leaves at once', [0], leaving({}, flushed)],
  [
    'the client leaves while it sends',
    [0],
    leaving({ bytes: (body) => body.subarray(0, body.length / 2), length: 300_000 }, flushed),
  ],
  ['the client leaves before the answer', [0], leaving({ simulate: { hang: 'before_headers' } }, asked)],
  ['the client leaves within the answer', [0], leaving({ simulate: { hang: { after_events: 1 } } }, asked)],
];

/** GETs, with the statuses that they may have. */
const READS: [path: string, key: string | undefined, statuses: number[]][] = [
  ['/v1/models', undefined, [200]],
  ['/v1/models?q=chat', 'rich', [200]],
  ['/v1/models/sim/chat-pro', 'wrong', [401]],
  ['/v1/models/no/model', 'rich', [404]],
  ['/v1/status', undefined, [200]],
  ['/v1/usage', 'rich', [200]],
  ['/v1/usage', 'wrong', [401]],
  ['/v1/usage?bucket_width=2d', 'rich', [400]],
  ['/v1/usage/requests/req_000000000000000000000000', 'rich', [404]],
  ['/nothing', undefined, [404]],
];

function openRead(path: string, key: string | undefined): ClientRequest {
  const authorization = `Bearer ${key === 'rich' ? rich : 'nonsense'}`;
  const headers = key === undefined ? {} : { authorization };
  return httpRequest(gateway.baseUrl + path, { agent: false, headers })
    .on('error', () => undefined)
    .end();
}

async function expectNothingLeft(): Promise<void> {
  gateway.provider.clear();
  const found = async () => ({
    timers: left.timers(),
    bodyBytes: bodyBudget.usedBytes,
    answerBytes: answerBudget.usedBytes,
    entries: bodyBudget.entries + answerBudget.entries,
    open: await gauges(),
  });
  const nothing = { timers: [], bodyBytes: 0, answerBytes: 0, entries: 0, open: [0, 0] };
  // A client that still sends is listened to for seconds after its answer.
  await expect.poll(found, { timeout: 120_000, interval: 200 }).toEqual(nothing);
}

/** Checks all requests so far at once: a heap collection takes a second or more of CPU time. */
async function expectNothingRetained(): Promise<void> {
  await expect.poll(() => left.retainedRequests(), { timeout: 120_000, interval: 1_000 }).toEqual([]);
}

/** Requests and streams that are open, by the data plane's own count. */
async function gauges(): Promise<number[]> {
  const [plane] = gateway.dataPlanes;
  return [await metricOf(plane, 'gateway_open_requests'), await metricOf(plane, 'gateway_open_streams')];
}

describe('the timers, listeners, requests, memory and slots that a request leaves behind', () => {
  it.each(MODEL_ROUTES)('every way that $name can end has its expected status', async (route) => {
    for (const [exit, statuses, run] of EXITS) {
      left.label = `${route.name}: ${exit}`;
      const got = await Promise.all(Array.from({ length: TIMES }, () => run(route)));
      for (const status of got) expect(statuses, exit).toContain(status);
    }
  });

  it('no way that a request can end leaves anything behind', expectNothingLeft);

  it('a stream that is refused for lack of a slot leaves nothing behind', async () => {
    left.label = 'no slot';
    const route = { name: '', path: 'chat/completions', model: 'chat', fields: STREAMED_CHAT };
    const key = await richKey({ concurrentStreams: ONE });
    const first = open(route, { key, simulate: { hang: { after_events: 1 } } });
    const [answer] = await once(first, 'response');
    expect(answer.statusCode).toBe(200);
    for (let time = 0; time < TIMES; time++) expect(await read(open(route, { key }))).toBe(429);
    first.destroy();
    await expectNothingLeft();
    // The slot is free again.
    expect(await read(open(route, { key }))).toBe(200);
  });

  it('reads leave nothing behind, however they end', async () => {
    for (const [path, key, statuses] of READS) {
      left.label = path;
      for (let time = 0; time < TIMES; time++) {
        expect(statuses, path).toContain(await read(openRead(path, key)));
        const request = openRead(path, key);
        const closed = new Promise((resolve) => request.once('close', resolve));
        await flushed(request);
        request.destroy();
        await closed;
      }
    }
    await expectNothingLeft();
  });

  it('requests on a reused connection leave nothing behind', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const listeners: number[] = [];
    for (let time = 0; time < 30; time++) {
      const body = writeRequest(CHAT, 'sim/chat-pro');
      const request = httpRequest(`${gateway.baseUrl}/v1/chat/completions`, {
        method: 'POST',
        agent,
        headers: {
          authorization: `Bearer ${time % 2 === 0 ? rich : poor}`,
          'content-type': body.contentType,
        },
      }).end(body.bytes);
      const [answer] = await once(request, 'response');
      answer.resume();
      await once(answer, 'end');
      listeners.push(left.listeners());
    }
    agent.destroy();
    expect(Math.max(...listeners.slice(5))).toBe(Math.max(...listeners.slice(0, 5)));
    await expectNothingLeft();
  });

  it('the heap retains none of these requests', expectNothingRetained);

  it('requests that are open at shutdown leave nothing behind', async () => {
    left.label = 'draining';
    const hanging = MODEL_ROUTES.flatMap((route) => [
      open(route, { simulate: { hang: 'before_headers' } }),
      open(route, { simulate: { hang: { after_events: 1 } } }),
      open(route, { bytes: (body) => body.subarray(0, body.length / 2), length: 300_000 }),
    ]);
    const [plane] = gateway.dataPlanes;
    await until(async () => (await gauges())[0] === hanging.length);
    await plane?.close();
    for (const request of hanging) request.destroy();
    gateway.provider.clear();
    await expect
      .poll(() => [left.timers(), bodyBudget.usedBytes, answerBudget.usedBytes], {
        timeout: 120_000,
        interval: 200,
      })
      .toEqual([[], 0, 0]);
    await expectNothingRetained();
    // No money is reserved any more: it was charged or released.
    for (const { held } of await gateway.books.pools()) expect(held).toBe(0n);
  });
});
