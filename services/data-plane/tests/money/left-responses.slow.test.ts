import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { metricOf, until, watchLag, withGateway, withStarted } from '@model-gateway/test-kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { LeftBehind } from '../hostile/left-behind.ts';
import { startScriptedProvider } from '../providers/scripted-provider.ts';
import { bodyOf, CHAT_STREAMS, type LeftRoute, paidCatalog, READ_ON } from './left-responses.ts';
import { expectLedgerAgrees, payingKey } from './money-fixture.ts';

/** Longer than the provider of a chat stream may be kept after its caller has left. */
const LONG_MS = 200;

/** How much of the response has been sent when the caller leaves. */
const MOMENTS = [
  ['before its first byte', 0],
  ['in its middle', 1],
  ['just before its end', 2],
] as const;

let respond: (res: ServerResponse) => void;
let left: LeftBehind;
/** The gateway's response to the newest request. */
let response: ServerResponse | undefined;
const noteResponse = (message: unknown) => {
  const { request, response: begun } = z
    .looseObject({ request: z.instanceof(IncomingMessage), response: z.instanceof(ServerResponse) })
    .parse(message);
  if (request.socket.localPort === Number(new URL(gateway.baseUrl).port)) response = begun;
};
const provider = withStarted(() => startScriptedProvider((res) => respond(res)));
const gateway = withGateway(() => ({
  ownPools: true,
  catalog: true,
  document: () => paidCatalog(provider.baseUrl),
}));
beforeAll(() => {
  left = new LeftBehind(Number(new URL(gateway.baseUrl).port));
  subscribe('http.server.request.start', noteResponse);
});
afterAll(() => {
  left[Symbol.dispose]();
  unsubscribe('http.server.request.start', noteResponse);
});

interface Leaving {
  /** The parts of the response that are sent before the caller leaves. */
  parts: number;
  /** How long the provider is silent then. */
  silentMs: number;
  key?: Awaited<ReturnType<typeof payingKey>>;
}

/** Sends a request and leaves. @returns its record, and when the provider saw its request closed */
async function leave(route: LeftRoute, { parts, silentMs, key }: Leaving) {
  const { keyId, rawKey } = key ?? (await payingKey(gateway, '1000'));
  left.label = `${route.name}, ${parts}`;
  const sent = Promise.withResolvers<ServerResponse>();
  const gone = Promise.withResolvers<void>();
  let closedAtMs: number | undefined;
  respond = async (res) => {
    res.on('close', () => {
      closedAtMs = performance.now();
    });
    if (parts > 0) {
      res.writeHead(200, { 'content-type': route.contentType });
      res.write(route.parts.slice(0, parts).join(''));
    }
    sent.resolve(res);
    await gone.promise;
    await wait(silentMs);
    if (res.destroyed) return;
    if (!res.headersSent) res.writeHead(200, { 'content-type': route.contentType });
    res.end(route.parts.slice(parts).join(''));
  };
  const leaving = new AbortController();
  const { signal } = leaving;
  const answer = gateway.post(route.path, bodyOf(route), { key: rawKey, signal });
  const res = await sent.promise;
  // A response that is streamed has arrived as far as it was sent; a plain one has not begun.
  const isStreamed = parts > 0 && /event-stream|audio/.test(route.contentType);
  if (isStreamed) await (await answer).body?.getReader().read();
  else await wait(20);
  const leftAtMs = performance.now();
  leaving.abort();
  await Promise.all([answer.catch(() => undefined), response?.closed || once(response ?? res, 'close')]);
  response = undefined;
  gone.resolve();
  await until(() => Promise.resolve(res.closed));
  return { leftAtMs, closedAtMs: closedAtMs ?? 0, record: await recordOf(keyId) };
}

async function recordOf(keyId: string): Promise<Record<string, unknown>> {
  const find = async () =>
    (await gateway.books.query('SELECT * FROM usage_records WHERE key_id = $1', [keyId]))[0];
  await until(async () => (await find()) !== undefined);
  return (await find()) ?? {};
}

describe.each(MOMENTS)('a response whose caller leaves %s', (_moment, parts) => {
  it.each(READ_ON)('$name costs what its provider counts', async (route) => {
    const { record } = await leave(route, { parts, silentMs: LONG_MS });
    expect(record).toMatchObject({ charged: route.cost, billing_reason: 'aborted_partial' });
    expect(record.usage_source).not.toBe('estimated');
    expect(BigInt(String(record.held))).toBeGreaterThanOrEqual(route.cost);
  });

  it.each(CHAT_STREAMS)('$name costs what its provider counts, if that comes at once', async (route) => {
    const { record } = await leave(route, { parts, silentMs: 5 });
    expect(record).toMatchObject({
      charged: route.cost,
      usage_source: 'provider',
      billing_reason: 'aborted_partial',
    });
  });

  it.each(CHAT_STREAMS)('$name is aborted at its provider within 100 ms', async (route) => {
    using lag = watchLag();
    const { closedAtMs, leftAtMs, record } = await leave(route, { parts, silentMs: 10_000 });
    expect(closedAtMs - leftAtMs).toBeLessThan(100 + lag.allowanceMs());
    expect(record).toMatchObject({ billing_reason: 'aborted_partial' });
    const charged = BigInt(String(record.charged));
    expect(charged).toBeLessThanOrEqual(BigInt(String(record.held)));
    // A provider that has not responded may never have begun; else the prompt was used.
    if (parts === 0) expect(charged).toBe(0n);
    else expect(charged).toBeGreaterThan(0n);
  });
});

it('left responses leave nothing behind: money, requests, sockets or timers', async () => {
  await expectLedgerAgrees(gateway);
  const [plane] = gateway.dataPlanes;
  for (const name of ['gateway_open_requests', 'gateway_open_streams', 'gateway_reading_on'])
    expect(await metricOf(plane, name), name).toBe(0);
  expect(left.timers()).toEqual([]);
  await expect.poll(() => left.retainedRequests(), { interval: 500 }).toEqual([]);
});
