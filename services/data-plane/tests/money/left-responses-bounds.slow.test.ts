import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { metricOf, postJson, until, watchLag, withGateway, withStarted } from '@model-gateway/test-kit';
import { describe, expect, it } from 'vitest';
import { startScriptedProvider } from '../providers/scripted-provider.ts';
import { bodyOf, paidCatalog, READ_ON } from './left-responses.ts';
import { payingKey } from './money-fixture.ts';

const [chat] = READ_ON;
if (chat === undefined) throw new Error('there is always a chat');
const { cost, fields, parts } = chat;

let respond: (res: ServerResponse) => void;
const provider = withStarted(() => startScriptedProvider((res) => respond(res)));
const gateway = withGateway(() => ({
  ownPools: true,
  document: () => paidCatalog(provider.baseUrl),
}));

describe('a plain response that its caller has left', () => {
  /** Opens plain chats and leaves them. @returns the provider's responses, in order */
  async function leaveChats(count: number, rawKey: string, plane = gateway.dataPlanes[0]) {
    const open: ServerResponse[] = [];
    respond = (res) => void open.push(res);
    const leaving = new AbortController();
    const options = { signal: leaving.signal };
    const body = { model: 'acme/chat', ...fields };
    const answers = Array.from({ length: count }, () =>
      postJson(`http://127.0.0.1:${plane?.port}`, rawKey, 'chat/completions', body, options).catch(
        () => undefined,
      ),
    );
    await until(() => Promise.resolve(open.length === count));
    leaving.abort();
    await Promise.all(answers);
    // At most eight are read to their end.
    await until(async () => (await metricOf(plane, 'gateway_reading_on')) === Math.min(count, 8));
    return open;
  }

  const end = (res: ServerResponse) => {
    res.writeHead(200, { 'content-type': 'application/json' });
    res.end(parts.join(''));
  };
  const records = async (keyId: string, count: number) => {
    const find = () =>
      gateway.books.query('SELECT * FROM usage_records WHERE key_id = $1 ORDER BY charged', [keyId]);
    await until(async () => (await find()).length === count);
    return await find();
  };
  const expectEstimate = (record: Record<string, unknown> | undefined) => {
    expect(record).toMatchObject({ usage_source: 'estimated', billing_reason: 'aborted_partial' });
    const charged = BigInt(String(record?.charged));
    expect(charged).toBeGreaterThan(0n);
    expect(charged).toBeLessThan(cost);
  };

  it('costs an estimate, and is cut off, while eight others of its key are read to their end', async () => {
    const { keyId, rawKey } = await payingKey(gateway, '1000');
    const open = await leaveChats(9, rawKey);
    await until(() => Promise.resolve(open.some((res) => res.destroyed)));
    expect(open.filter((res) => res.destroyed)).toHaveLength(1);
    for (const res of open) if (!res.destroyed) end(res);
    const [first, ...others] = await records(keyId, 9);
    expectEstimate(first);
    for (const record of others) expect(record).toMatchObject({ charged: cost, usage_source: 'provider' });
  });

  it('costs an estimate after READ_ON_MS', async () => {
    const plane = await gateway.startDataPlane({ READ_ON_MS: '3000' });
    const { keyId, rawKey } = await payingKey(gateway, '1000');
    const [res] = await leaveChats(1, rawKey, plane);
    expect(res?.destroyed).toBe(false);
    const [record] = await records(keyId, 1);
    expectEstimate(record);
    await until(() => Promise.resolve(res?.destroyed === true));
    await plane.close();
  });

  it('costs an estimate in every API and capability', async () => {
    const plane = await gateway.startDataPlane({ READ_ON_MS: '500' });
    respond = () => undefined;
    const left = async (route: (typeof READ_ON)[number]) => {
      const { keyId, rawKey } = await payingKey(gateway, '1000');
      const before = provider.received.length;
      const options = { signal: AbortSignal.timeout(10_000) };
      await postJson(`http://127.0.0.1:${plane.port}`, rawKey, route.path, bodyOf(route), options).catch(
        () => undefined,
      );
      expect(provider.received.length).toBeGreaterThan(before);
      const [record] = await records(keyId, 1);
      expect(record, route.name).toMatchObject({ billing_reason: 'aborted_partial', client_status: 499 });
      const charged = BigInt(String(record?.charged));
      expect(charged, route.name).toBeGreaterThan(0n);
      expect(charged, route.name).toBeLessThanOrEqual(BigInt(String(record?.held)));
    };
    await Promise.all(READ_ON.map(left));
    await plane.close();
  });

  it('costs what its provider counts while its data plane drains, and an estimate after that', async () => {
    const plane = await gateway.startDataPlane({ DRAIN_TIMEOUT_MS: '3000', READ_ON_MS: '60000' });
    const { keyId, rawKey } = await payingKey(gateway, '1000');
    const [first] = await leaveChats(2, rawKey, plane);
    const closing = plane.close();
    if (first !== undefined) end(first);
    await closing;
    const [cut, counted] = await records(keyId, 2);
    expectEstimate(cut);
    expect(counted).toMatchObject({ charged: cost });
  });

  it.each<[string, (res: ServerResponse) => unknown]>([
    ['refuses it', (res) => res.writeHead(500).end()],
    ['breaks off', (res) => res.destroy()],
    ['sends rubbish', (res) => res.writeHead(200, { 'content-type': 'application/json' }).end('{')],
  ])('is free when its provider %s', async (_name, fail) => {
    const { keyId, rawKey } = await payingKey(gateway, '1000');
    const [res] = await leaveChats(1, rawKey);
    if (res !== undefined) fail(res);
    expect(await records(keyId, 1)).toMatchObject([{ charged: 0n, client_status: 499 }]);
  });

  it('is aborted at once where the model is free', async () => {
    const { rawKey } = await payingKey(gateway);
    const open: ServerResponse[] = [];
    respond = (res) => void open.push(res);
    const leaving = new AbortController();
    const body = { model: 'acme/free', ...fields };
    const answer = gateway.post('chat/completions', body, { key: rawKey, signal: leaving.signal });
    await until(() => Promise.resolve(open.length === 1));
    using lag = watchLag();
    const leftAtMs = performance.now();
    leaving.abort();
    await expect(answer).rejects.toThrow();
    const [res] = open;
    if (res?.closed === false) await once(res, 'close');
    // Well below READ_ON_MS (2 s), for which a paid response is read on.
    expect(performance.now() - leftAtMs).toBeLessThan(1_000 + lag.allowanceMs());
  });
});
