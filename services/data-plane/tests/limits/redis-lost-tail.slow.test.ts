import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectRedis, RedisLimiter } from '@model-gateway/limits';
import { type RedisServer, startGateway, startOwnRedis, until } from '@model-gateway/test-kit';
import { startTcpProxy } from '@model-gateway/test-kit/tcp-proxy';
import { describe, expect, inject, it } from 'vitest';
import { complete } from '../keys/revocation-drill.ts';
import { onNode } from './move-slot.ts';

/** Asks Redis as a data plane does that no control plane reaches. */
async function isRefused(server: RedisServer, keyId: string): Promise<boolean> {
  const connection = connectRedis({ url: server.url, commandTimeoutMs: 5_000 });
  try {
    if (!(await connection.whenReady(5_000))) return false;
    const { outcome } = await new RedisLimiter(connection).admit({
      requestId: crypto.randomUUID(),
      hashTag: keyId,
      policies: [],
      revokedKeyId: keyId,
    });
    return outcome === 'revoked';
  } finally {
    connection.close();
  }
}

function start(settings: readonly string[], port?: number): Promise<RedisServer> {
  return startOwnRedis({ settings, ...(port === undefined ? {} : { port }) });
}

describe.skipIf(!inject('ownRedis'))('a Redis that lost the end of its log', () => {
  it('a Redis that restarts from an older dump gets the last revocations back within a second', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'model-gateway-dump-'));
    const settings = ['--dir', folder, '--dbfilename', 'dump.rdb'];
    try {
      const first = await start(settings);
      await using gateway = await startGateway({ redisUrl: first.url });
      const keys = [await gateway.createKey(), await gateway.createKey(), await gateway.createKey()] as const;
      expect((await gateway.revokeKey(keys[0].id)).unconfirmedInstances).toEqual([]);
      await onNode(first, (client) => client.call('SAVE'));
      expect((await gateway.revokeKey(keys[1].id)).unconfirmedInstances).toEqual([]);
      expect(await isRefused(first, keys[1].id)).toBe(true);
      await first.stop();
      const second = await start(settings, first.port);
      try {
        const backAtMs = performance.now();
        expect(await isRefused(second, keys[0].id)).toBe(true);
        await until(() => isRefused(second, keys[1].id));
        console.info(`there again ${Math.round(performance.now() - backAtMs)} ms after Redis was`);
        expect((await complete(gateway, 0, keys[1].rawKey)).status).toBe(401);
        // New revocations do not continue from the lost state.
        expect((await gateway.revokeKey(keys[2].id)).unconfirmedInstances).toEqual([]);
        expect(await isRefused(second, keys[2].id)).toBe(true);
      } finally {
        await second.stop();
      }
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('a replica that takes over too early gets the last revocations back', async () => {
    const primary = await start([]);
    const replica = await start(['--replicaof', '127.0.0.1', String(primary.port)]);
    await using address = await startTcpProxy(primary.port, '127.0.0.1');
    await using gateway = await startGateway({ redisUrl: `redis://127.0.0.1:${address.port}` });
    const [early, late] = [await gateway.createKey(), await gateway.createKey()];
    await gateway.revokeKey(early.id);
    await until(() => onNode(replica, async (client) => (await client.exists(tombstoneOf(early.id))) === 1));
    // New commands do not reach it any more.
    await onNode(replica, (client) => client.call('REPLICAOF', 'NO', 'ONE'));
    expect((await gateway.revokeKey(late.id)).unconfirmedInstances).toEqual([]);
    await primary.stop();
    address.leadTo(replica.port);
    try {
      await until(() => isRefused(replica, late.id));
      expect(await isRefused(replica, early.id)).toBe(true);
    } finally {
      await replica.stop();
    }
  });
});

const tombstoneOf = (keyId: string) => `gateway:tombstone:{${keyId}}:${keyId}`;
