import { once } from 'node:events';
import { Socket } from 'node:net';
import { tooManyLargeBodies } from '@model-gateway/shared/errors';
import { metricOf, watchLag, withGateway } from '@model-gateway/test-kit';
import { describe, expect, it } from 'vitest';
import type { WebSocket } from 'ws';
import { MinimumRate } from '../../src/http/minimum-rate.ts';
import { bodyBudgetBounds } from '../../src/memory/body-budget.ts';
import { MemoryBudget } from '../../src/memory/memory-budget.ts';
import { CHAT } from '../endpoints/both-apis.ts';
import { openSocket } from './socket-client.ts';

const gateway = withGateway();
const open = (key = gateway.rawKey) => openSocket(gateway.baseUrl, key);

const create = (members: object) => ({ type: 'response.create', model: CHAT, input: 'Hi', ...members });
const HOSTILE: readonly (readonly [string, object | string | Buffer, string, string | null])[] = [
  ['no JSON', '{"type":', 'invalid_json', null],
  ['an empty message', '', 'invalid_json', null],
  ['an array', '[{"type":"response.create"}]', 'invalid_json', null],
  ['a string', '"response.create"', 'invalid_json', null],
  ['a member twice', '{"type":"response.create","type":"response.create"}', 'invalid_json', null],
  ['a million commas', `{${','.repeat(1_000_000)}}`, 'invalid_json', null],
  ['broken input', '{"type":"response.create","model":"a/b","input":[{]}', 'invalid_json', null],
  ['a member without a value', '{"type":"response.create","model"}', 'invalid_json', null],
  ['bytes', Buffer.from(JSON.stringify(create({}))), 'invalid_request', null],
  ['no type', { model: CHAT, input: 'Hi' }, 'invalid_request', 'type'],
  ['another type', { type: 'response.append' }, 'invalid_request', 'type'],
  ['a type that is no string', { type: { $ne: 1 } }, 'invalid_request', 'type'],
  ['an endless type', { type: 'x'.repeat(100_000) }, 'invalid_json', null],
  ['no stream', create({ stream: false }), 'invalid_request', 'stream'],
  ['the background', create({ background: true }), 'invalid_request', 'background'],
  ['an empty stream id', create({ stream_id: '' }), 'invalid_request', 'stream_id'],
  ['a broken stream id', create({ stream_id: '"},{' }), 'invalid_request', 'stream_id'],
  ['a wrong generate', create({ generate: 'no' }), 'invalid_request', 'generate'],
  ['a wrong id', create({ previous_response_id: 1 }), 'invalid_request', 'previous_response_id'],
  ['an unknown model', create({ model: 'acme/none' }), 'model_not_found', 'model'],
  ['an unknown model, unused', create({ model: 'acme/none', generate: false }), 'model_not_found', 'model'],
  ['wrong input', create({ input: 5 }), 'invalid_request', 'input'],
];

describe('a WebSocket', () => {
  it('answers hostile frames with an error frame each, and serves the next request', async () => {
    await using socket = await open();
    for (const [what, message, code, param] of HOSTILE) {
      socket.send(message);
      const refused = await socket.next();
      expect(refused, what).toMatchObject({ type: 'error', error: { code, param } });
      expect(refused.status, what).toBeGreaterThanOrEqual(400);
      expect(refused.headers?.['x-request-id'], what).toMatch(/^req_/);
    }
    expect((await socket.ask(create({}))).type).toBe('response.completed');
  });

  it('ignores an acknowledgement', async () => {
    await using socket = await open();
    socket.send({ type: 'response.processed', response_id: 'resp_1' });
    expect((await socket.ask(create({}))).type).toBe('response.completed');
  });

  it('refuses requests at once when too many wait for their turn', async () => {
    await using socket = await open();
    gateway.provider.script({ content: 'word '.repeat(200), token_delay_ms: 10 });
    for (let sent = 0; sent < 20; sent++) socket.create({ model: CHAT, input: 'Hi' });
    const types: string[] = [];
    while (types.filter((type) => type === 'response.completed').length < 17)
      types.push((await socket.next()).type);
    expect(types.filter((type) => type === 'error')).toHaveLength(3);
    expect(types.indexOf('error')).toBeLessThan(types.indexOf('response.completed'));
  });

  it.each([
    ['a longer message than any body', (ws: WebSocket) => ws.send('x'.repeat(22_000_000)), 1009],
    ['text that is not UTF-8', (ws: WebSocket) => ws.send(Buffer.from([0xff]), { binary: false }), 1007],
  ])('is closed with the code for it by %s', async (_name, send, code) => {
    await using socket = await open();
    send(socket.ws);
    expect((await socket.closed).code).toBe(code);
  });

  it('refuses a body that is too large, and holds its memory only while it needs it', async () => {
    await using socket = await open();
    const large = (bytes: number) => create({ input: 'x'.repeat(bytes) });
    expect(await socket.ask(large(20 * 1024 * 1024))).toMatchObject({
      type: 'error',
      status: 413,
      error: { code: 'request_too_large' },
    });
    expect((await socket.ask(large(300_000))).type).toMatch(/completed|error/);
    await expect.poll(() => metricOf(gateway.dataPlanes[0], 'gateway_body_bytes')).toBe(0);
  });

  it('counts broken messages as reads, so that a flood of them gets 429', async () => {
    const account = await gateway.createAccount();
    const { rawKey } = await gateway.createKey(account);
    await gateway.admin.call(10_000, 'accounts', 'setLimits', { account, readsPerMinute: { value: 5 } });
    await using socket = await open(rawKey);
    const codes: (string | undefined)[] = [];
    for (let sent = 0; sent < 8; sent++) {
      socket.send('{');
      codes.push((await socket.next()).error?.code);
    }
    expect(codes.slice(0, 3)).toEqual(['invalid_json', 'invalid_json', 'invalid_json']);
    expect(codes.slice(-2)).toEqual(['rate_limit_exceeded', 'rate_limit_exceeded']);
  });

  it("ends its provider's request within 100 ms after its client has left", async () => {
    using lag = watchLag();
    for (const leave of ['terminate', 'close'] as const) {
      gateway.provider.clear();
      const socket = await open();
      gateway.provider.script({ content: 'word '.repeat(1_000), token_delay_ms: 20 });
      socket.create({ model: CHAT, input: 'Hi' });
      while ((await socket.next()).type !== 'response.output_text.delta');
      const leftAtMs = performance.now();
      socket.ws[leave]();
      const ended = await gateway.provider.requests[0]?.closed;
      expect(ended?.reason).toBe('client_closed');
      expect((ended?.atMs ?? 0) - leftAtMs).toBeLessThan(100 + lag.allowanceMs());
      await socket.closed;
    }
    await expect.poll(() => metricOf(gateway.dataPlanes[0], 'gateway_open_websockets')).toBe(0);
    await expect.poll(() => metricOf(gateway.dataPlanes[0], 'gateway_open_requests')).toBe(0);
  });

  it.each([
    [{ content: 'word '.repeat(50), truncate: { after_events: 4 } }, 'response.failed'],
    [{ content: 'word '.repeat(50), reset: { after_events: 4 } }, 'response.failed'],
    [{ content: 'word '.repeat(50), sse: 'error_event' }, 'response.failed'],
    [{ rubbish: 'html' }, 'error'],
    [{ status: 500 }, 'error'],
    [{ status: 400 }, 'error'],
  ] as const)('goes on after a provider that fails: %j', async (fault, type) => {
    await using socket = await open();
    gateway.provider.script(...Array.from({ length: 5 }, () => fault));
    expect((await socket.ask(create({}))).type).toBe(type);
    gateway.provider.clear();
    expect((await socket.ask(create({}))).type).toBe('response.completed');
  });

  it('says what is missing of the balance in an error frame', async () => {
    const poor = await gateway.admin.call(10_000, 'accounts', 'createAccount', {
      email: 'websocket-poor@example.com',
      name: 'Poor',
    });
    const { rawKey } = await gateway.createKey(poor.id);
    await using socket = await open(rawKey);
    expect(await socket.ask(create({ model: 'sim/chat-pro' }))).toMatchObject({
      type: 'error',
      status: 402,
      error: { code: 'insufficient_balance', needed_usd: expect.any(String) },
      headers: { 'x-should-retry': 'false' },
    });
  });

  it('answers pings', async () => {
    await using socket = await open();
    socket.ws.ping('there?');
    const [answer] = await once(socket.ws, 'pong');
    expect(String(answer)).toBe('there?');
    // Together they are longer than any message that needs no memory.
    for (let sent = 0; sent < 1_000; sent++) {
      socket.ws.ping('x'.repeat(125));
      await once(socket.ws, 'pong');
    }
    expect(await metricOf(gateway.dataPlanes[0], 'gateway_body_bytes')).toBe(0);
    expect((await socket.ask(create({}))).type).toBe('response.completed');
  });
});

describe('a WebSocket to a data plane with little memory', () => {
  const bounds = bodyBudgetBounds(512 * 1024 * 1024, 20 * 1024 * 1024);
  const gateway = withGateway(() => ({
    overrides: {
      minimumRate: new MinimumRate({ windowMs: 3_000, bytes: 100_000 }),
      bodyBudget: new MemoryBudget({ ...bounds, maxWaitMs: 300, refusal: tooManyLargeBodies }),
    },
  }));
  const usedBytes = () => metricOf(gateway.dataPlanes[0], 'gateway_body_bytes');

  it('ends when a large message comes too slowly, and gives its memory back', async () => {
    await using socket = await openSocket(gateway.baseUrl, gateway.rawKey);
    beginMessage(socket.ws);
    await expect.poll(usedBytes).toBeGreaterThan(1_000_000);
    expect(await socket.next()).toMatchObject({ type: 'error', error: { code: 'request_timeout' } });
    expect((await socket.closed).code).toBe(1013);
    await expect.poll(usedBytes).toBe(0);
  });

  it('ends when there is no memory for a large message', async () => {
    const sockets = await Promise.all(
      Array.from({ length: 8 }, () => openSocket(gateway.baseUrl, gateway.rawKey)),
    );
    for (const { ws } of sockets) beginMessage(ws);
    const codes = await Promise.all(sockets.map(async (socket) => (await socket.next()).error?.code));
    expect(new Set(codes)).toEqual(new Set(['overloaded', 'request_timeout']));
    await Promise.all(sockets.map(({ closed }) => closed));
    await expect.poll(usedBytes).toBe(0);
  });
});

/** Sends a part of a long message, and nothing more. */
function beginMessage(ws: WebSocket): void {
  const head = Buffer.alloc(14);
  // Text, masked, with a length of eight bytes.
  head.writeUInt16BE(0x81ff, 0);
  head.writeBigUInt64BE(10_000_000n, 2);
  const socket: unknown = Reflect.get(ws, '_socket');
  if (socket instanceof Socket) socket.write(Buffer.concat([head, Buffer.alloc(100_000, 'x')]));
}
