import { setTimeout as wait } from 'node:timers/promises';
import { metricOf, startGateway, watchLag, withGateway } from '@model-gateway/test-kit';
import { describe, expect, it } from 'vitest';
import { CHAT } from '../endpoints/both-apis.ts';
import { openSocket, refusedUpgrade, type TestSocket, textOf } from './socket-client.ts';

const LIMIT_CODE = 'websocket_connection_limit_reached';

/** Begins a long response, and reads until its text comes. */
async function begin(socket: TestSocket): Promise<void> {
  socket.create({ model: CHAT, input: 'Hi' });
  while ((await socket.next()).type !== 'response.output_text.delta');
}

describe('the WebSockets of a key', () => {
  const gateway = withGateway({ dataPlanes: 2 });
  const long = { content: 'word '.repeat(1_000), token_delay_ms: 20 };

  it('end within a second on every data plane when it is revoked, idle or busy', async () => {
    const key = await gateway.createKey();
    const bystander = await openSocket(gateway.urlOf(0), gateway.rawKey);
    const sockets: TestSocket[] = [];
    for (const plane of [0, 1])
      for (const isBusy of [false, true]) {
        const socket = await openSocket(gateway.urlOf(plane), key.rawKey);
        if (isBusy) {
          gateway.provider.script(long);
          await begin(socket);
        }
        sockets.push(socket);
      }
    using lag = watchLag();
    const revokedAtMs = performance.now();
    await gateway.revokeKey(key.id);
    for (const socket of sockets) {
      const { atMs, code } = await socket.closed;
      expect(atMs - revokedAtMs).toBeLessThan(1_000 + lag.allowanceMs());
      expect(code).toBe(1008);
      const frames = [];
      for (let last = ''; last !== 'error'; last = frames.at(-1)?.type ?? '')
        frames.push(await socket.next());
      expect(frames.at(-1)).toMatchObject({ status: 401, error: { code: 'invalid_api_key' } });
    }
    expect((await bystander.ask({ model: CHAT, input: 'Hi' })).type).toBe('response.completed');
    await bystander[Symbol.asyncDispose]();
    const refused = await refusedUpgrade(gateway.urlOf(1), { authorization: `Bearer ${key.rawKey}` });
    expect(refused.status).toBe(401);
  });

  it('end when it expires', async () => {
    const key = await gateway.createKey();
    await using socket = await openSocket(gateway.urlOf(0), key.rawKey);
    const atMs = String(Date.now() + 2_000);
    await gateway.admin.call(10_000, 'accounts', 'expireKey', { keyId: key.id, atMs });
    expect((await socket.next()).error?.message).toMatch(/expired/);
    expect((await socket.closed).code).toBe(1008);
  });
});

describe('a WebSocket of a data plane that ends', () => {
  it('ends after its running response, and clients go elsewhere', async () => {
    await using gateway = await startGateway({ dataPlanes: 2, environment: { DRAIN_TIMEOUT_MS: '20000' } });
    const { rawKey } = await gateway.createKey();
    const idle = await openSocket(gateway.urlOf(0), rawKey);
    const busy = await openSocket(gateway.urlOf(0), rawKey);
    gateway.provider.script({ content: 'word '.repeat(100), token_delay_ms: 10 });
    await begin(busy);
    busy.create({ model: CHAT, input: 'This one comes too late.' });
    const beginAtMs = performance.now();
    const ended = gateway.dataPlanes[0]?.close();
    expect(await idle.next()).toMatchObject({ type: 'error', error: { code: LIMIT_CODE } });
    expect((await idle.closed).code).toBe(1012);
    expect((await busy.response()).at(-1)?.type).toBe('response.completed');
    expect((await busy.next()).error?.code).toBe(LIMIT_CODE);
    expect((await busy.closed).code).toBe(1012);
    await ended;
    expect(performance.now() - beginAtMs).toBeLessThan(15_000);
    await using other = await openSocket(gateway.urlOf(1), rawKey);
    expect((await other.ask({ model: CHAT, input: 'Hi' })).type).toBe('response.completed');
  });

  it('is cut at the end of the drain, and delays nobody who does not read', async () => {
    await using gateway = await startGateway({ environment: { DRAIN_TIMEOUT_MS: '300' } });
    const { rawKey } = await gateway.createKey();
    const sockets = [await openSocket(gateway.baseUrl, rawKey), await openSocket(gateway.baseUrl, rawKey)];
    for (const socket of sockets) {
      gateway.provider.script({ content: 'word '.repeat(2_000), token_delay_ms: 20 });
      await begin(socket);
    }
    sockets[1]?.ws.pause();
    using lag = watchLag();
    const beginAtMs = performance.now();
    await gateway.dataPlanes[0]?.close();
    expect(performance.now() - beginAtMs).toBeLessThan(5_000 + lag.allowanceMs());
    const [socket] = sockets;
    const frames = (await socket?.response()) ?? [];
    expect(frames.at(-1)).toMatchObject({ type: 'response.failed' });
    for (const { ws } of sockets) ws.terminate();
  });

  it('ends when an operator takes the data plane out of traffic, and comes back with it', async () => {
    await using gateway = await startGateway();
    const { rawKey } = await gateway.createKey();
    await using socket = await openSocket(gateway.baseUrl, rawKey);
    const [plane] = gateway.dataPlanes;
    const { dataPlanes } = await gateway.admin.call(10_000, 'admin', 'getStatus', {});
    const instanceId = dataPlanes[0]?.instanceId ?? '';
    await gateway.admin.call(10_000, 'admin', 'drainDataPlane', { instanceId });
    expect((await socket.next()).error?.code).toBe(LIMIT_CODE);
    expect((await socket.closed).code).toBe(1012);
    const refused = await refusedUpgrade(gateway.baseUrl, { authorization: `Bearer ${rawKey}` });
    expect([refused.status, refused.headers['retry-after']]).toEqual([503, '1']);
    await gateway.admin.call(10_000, 'admin', 'undrainDataPlane', { instanceId });
    await expect
      .poll(async () => {
        const again = await openSocket(gateway.baseUrl, rawKey).catch(() => undefined);
        await again?.[Symbol.asyncDispose]();
        return again !== undefined;
      })
      .toBe(true);
    await expect.poll(() => metricOf(plane, 'gateway_open_websockets')).toBe(0);
  });
});

describe('a WebSocket without requests', () => {
  const gateway = withGateway({ overrides: { webSocketTimings: { pingMs: 500, idleMs: 1_500 } } });

  it('ends when it was idle for too long, and not while a response runs', async () => {
    await using socket = await openSocket(gateway.baseUrl, gateway.rawKey);
    gateway.provider.script({ content: 'word '.repeat(100), token_delay_ms: 20 });
    await begin(socket);
    expect((await socket.response()).at(-1)?.type).toBe('response.completed');
    expect(await socket.next()).toMatchObject({
      error: { code: LIMIT_CODE, message: expect.stringMatching(/idle/) },
    });
    expect((await socket.closed).code).toBe(1000);
  });
});

describe('a WebSocket', () => {
  const gateway = withGateway({ overrides: { webSocketTimings: { pingMs: 500, totalMs: 6_000 } } });

  it('ends at its greatest age, after the running response', async () => {
    await using socket = await openSocket(gateway.baseUrl, gateway.rawKey);
    const texts: string[] = [];
    for (;;) {
      gateway.provider.script({ content: 'word '.repeat(50), token_delay_ms: 10 });
      socket.create({ model: CHAT, input: 'Hi' });
      const frames = await socket.response();
      if (frames.at(-1)?.type === 'error') {
        expect(frames).toMatchObject([{ error: { code: LIMIT_CODE, message: expect.stringMatching(/60/) } }]);
        break;
      }
      texts.push(textOf(frames));
    }
    expect(texts.length).toBeGreaterThan(1);
    expect(new Set(texts)).toEqual(new Set(['word '.repeat(50)]));
    expect((await socket.closed).code).toBe(1000);
  });

  it('ends when its client answers no pings', async () => {
    const socket = await openSocket(gateway.baseUrl, gateway.rawKey);
    socket.ws.pause();
    await expect.poll(() => metricOf(gateway.dataPlanes[0], 'gateway_open_websockets')).toBe(0);
    socket.ws.terminate();
    await wait(0);
  });
});
