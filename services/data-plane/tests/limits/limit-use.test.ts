import { ControlPlaneClient } from '@model-gateway/contracts';
import { startGateway, TEST_SECRETS, type TestGateway, until } from '@model-gateway/test-kit';
import { signedInOwner } from '@model-gateway/test-kit/signed-in-owner';
import { describe, expect, inject, it } from 'vitest';
import { z } from 'zod';
import { chat } from './limited-chat.ts';
import { createRuledKey } from './ruled-key.ts';

const redis = inject('redis');

/** Reads how much of each limit an account's keys have used, as the dashboard does. */
async function usedOf(
  gateway: TestGateway,
  accountId: string,
): Promise<Record<string, Record<string, number>>> {
  const addresses = gateway.controlPlanes.map(({ grpcPort }) => `127.0.0.1:${grpcPort}`);
  const client = new ControlPlaneClient({ addresses, token: TEST_SECRETS.INTERNAL_TOKEN, tls: {} });
  try {
    const owner = await signedInOwner(gateway.databaseUrl, accountId);
    const ask = { accountId };
    const { keys } = await client.call(5_000, 'dashboard', 'getHolderLimits', ask, undefined, owner);
    return Object.fromEntries(
      keys.map(({ keyId, limits }) => [
        keyId,
        Object.fromEntries(limits.flatMap(({ name, used }) => (used === undefined ? [] : [[name, used]]))),
      ]),
    );
  } finally {
    client.close();
  }
}

async function complete(gateway: TestGateway, rawKey: string, plane: number, model: string): Promise<void> {
  const response = await chat(gateway, rawKey, { plane, model });
  await response.text();
  expect(response.status).toBe(200);
}

/** A stream that does not end by itself. */
async function openStream(gateway: TestGateway, rawKey: string, plane: number): Promise<Response> {
  const body = { stream: true, simulate: { hang: { after_events: 1 } } };
  const response = await chat(gateway, rawKey, { plane, body });
  expect(response.status).toBe(200);
  return response;
}

/** Two free requests and a stream on one data plane, a free and a paid request and a read on the other. */
async function useBoth(gateway: TestGateway, rawKey: string): Promise<Response> {
  await complete(gateway, rawKey, 0, 'sim/chat-free');
  await complete(gateway, rawKey, 1, 'sim/chat-free');
  await complete(gateway, rawKey, 1, 'sim/chat-pro');
  const read = await fetch(`${gateway.urlOf(1)}/v1/usage`, {
    headers: { authorization: `Bearer ${rawKey}` },
  });
  await read.text();
  expect(read.status).toBe(200);
  return await openStream(gateway, rawKey, 0);
}

const BOTH = { 'key.free': 3, 'key.paid': 1, 'key.reads': 1, 'key.streams': 1 };

describe('the current use of limits', () => {
  it('the use of limits adds up two data planes that count in memory, without ended streams', async () => {
    await using gateway = await startGateway({ dataPlanes: 2, defaultLimits: true });
    const { id, rawKey, accountId } = await gateway.createKey();
    const unused = await gateway.createKey(accountId);
    const stream = await useBoth(gateway, rawKey);
    const nothing = { 'key.free': 0, 'key.paid': 0, 'key.reads': 0, 'key.streams': 0 };
    expect(await usedOf(gateway, accountId)).toEqual({ [id]: BOTH, [unused.id]: nothing });
    await stream.body?.cancel();
    await until(async () => (await usedOf(gateway, accountId))[id]?.['key.streams'] === 0);
    expect(await usedOf(gateway, await gateway.createAccount())).toEqual({});
  });

  it.skipIf(redis === undefined)(
    'the use of limits is counted once in Redis for all data planes',
    async () => {
      await using gateway = await startGateway({
        dataPlanes: 2,
        defaultLimits: true,
        redisUrl: redis?.url ?? '',
      });
      const { id, rawKey, accountId } = await gateway.createKey();
      const stream = await useBoth(gateway, rawKey);
      expect(await usedOf(gateway, accountId)).toEqual({ [id]: BOTH });
      await stream.body?.cancel();
      await until(async () => (await usedOf(gateway, accountId))[id]?.['key.streams'] === 0);
    },
  );

  it.each([
    ['in memory', undefined],
    ['in Redis', redis?.url],
  ])('limits of rules are among those of a key, counted %s', async (where, redisUrl) => {
    if (where === 'in Redis' && redisUrl === undefined) return;
    await using gateway = await startGateway({ dataPlanes: 2, ...(redisUrl ? { redisUrl } : {}) });
    const rules = { tokens_per_minute: 5_000, requests_per_minute: 50, streams: 4 };
    const { id, rawKey, accountId } = await createRuledKey(gateway, rules);
    const unruled = await gateway.createKey(accountId);
    let tokens = 0;
    for (const plane of [0, 1]) {
      const response = await chat(gateway, rawKey, { plane });
      tokens += z.object({ usage: z.object({ total_tokens: z.int() }) }).parse(await response.json())
        .usage.total_tokens;
    }
    await until(async () => (await usedOf(gateway, accountId))[id]?.['key-tokens'] === tokens);
    const used = await usedOf(gateway, accountId);
    expect(used[id]).toMatchObject({ 'key.free': 2, 'key-requests': 2, 'key-tokens': tokens });
    expect(Object.keys(used[unruled.id] ?? {})).not.toContain('key-tokens');
  });

  it.skipIf(redis === undefined)(
    'the use of limits is left out where only the data planes know of Redis',
    async () => {
      await using gateway = await startGateway({
        dataPlanes: 2,
        defaultLimits: true,
        environment: { REDIS_URL: redis?.url ?? '' },
      });
      const { id, rawKey, accountId } = await gateway.createKey();
      await complete(gateway, rawKey, 0, 'sim/chat-free');
      expect(await usedOf(gateway, accountId)).toEqual({ [id]: {} });
    },
  );
});
