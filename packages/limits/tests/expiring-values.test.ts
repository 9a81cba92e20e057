import { randomBytes } from 'node:crypto';
import { startRedisServer, until } from '@model-gateway/test-kit';
import { describe, expect, inject, test } from 'vitest';
import { connectRedis, ExpiringValues, TooManyBytes } from '../src/index.ts';
import { connect, ownPrefix, redisUrl } from './shared-redis.ts';

const KB = 1_024;

describe.skipIf(redisUrl === undefined)('values that expire', () => {
  async function open(more: { ttlMs?: number; maxBytesOfOwner?: number; slices?: number } = {}) {
    const connection = await connect();
    const keyPrefix = ownPrefix();
    const values = new ExpiringValues(connection, {
      ttlMs: 60_000,
      maxBytesOfOwner: 100 * KB,
      keyPrefix,
      ...more,
    });
    const named = (owner: string, id: string, bytes: Buffer) => ({ name: values.nameOf(owner, id), bytes });
    return {
      connection,
      values,
      save: (owner: string, ...ids: string[]) =>
        values.save(
          owner,
          ids.map((id) => named(owner, id, Buffer.from(`${owner} ${id}`))),
        ),
      saveBytes: (owner: string, bytes: number) =>
        values.save(owner, [named(owner, randomBytes(8).toString('hex'), randomBytes(bytes))]),
      read: async (owner: string, ...ids: string[]) =>
        (
          await values.read(
            ids.map((id) => values.nameOf(owner, id)),
            100 * KB,
          )
        ).map((value) => value?.toString()),
      [Symbol.dispose]: () => {
        values.close();
        connection.close();
      },
    };
  }

  test('are read byte for byte as they were saved, and missing ones are undefined', async () => {
    using store = await open();
    expect(await store.save('a', '1', '2')).toBeUndefined();
    expect(await store.read('a', '2', '3', '1')).toEqual(['a 2', undefined, 'a 1']);
    expect(await store.read('b', '1')).toEqual([undefined]);
    const bytes = randomBytes(300);
    const name = store.values.nameOf('a', 'bytes');
    await store.values.save('a', [{ name, bytes }]);
    expect(await store.values.read([name], KB)).toEqual([bytes]);
  });

  test('live as long as was said, and are gone when they are removed', async () => {
    using store = await open();
    await store.save('a', '1', '2');
    expect(await store.connection.client.pttl(store.values.nameOf('a', '1'))).toBeGreaterThan(50_000);
    expect(await store.values.remove([store.values.nameOf('a', '1')])).toBe(true);
    expect(await store.read('a', '1', '2')).toEqual([undefined, 'a 2']);
    expect(await store.values.remove([store.values.nameOf('a', '1')])).toBe(false);
    using short = await open({ ttlMs: 30 });
    await short.save('a', '1');
    await until(async () => (await short.read('a', '1'))[0] === undefined);
  });

  test('the values of one owner stay within its share, whatever others have saved', async () => {
    using store = await open({ maxBytesOfOwner: 10 * KB });
    expect(await store.saveBytes('a', 6 * KB)).toBeUndefined();
    expect(await store.saveBytes('a', 6 * KB)).toBe('owner_full');
    expect(await store.saveBytes('a', 4 * KB)).toBeUndefined();
    expect(await store.saveBytes('a', 1)).toBe('owner_full');
    expect(await store.saveBytes('b', 10 * KB)).toBeUndefined();
  });

  test('make room for others when they have expired', async () => {
    using store = await open({ maxBytesOfOwner: 10 * KB, ttlMs: 100 });
    expect(await store.saveBytes('a', 10 * KB)).toBeUndefined();
    await until(async () => (await store.saveBytes('a', 10 * KB)) === undefined);
  });

  test('make room when they have expired before the longest time', async () => {
    using store = await open({ maxBytesOfOwner: 10 * KB, ttlMs: 3_600_000, slices: 36_000 });
    const save = (bytes: number) =>
      store.values.save('a', [{ name: store.values.nameOf('a', '1'), bytes: randomBytes(bytes) }], 3_000);
    expect(await save(10 * KB)).toBeUndefined();
    expect(await save(10 * KB)).toBe('owner_full');
    await until(async () => (await save(10 * KB)) === undefined);
  });

  test('are saved all or none', async () => {
    using store = await open({ maxBytesOfOwner: 5 });
    expect(await store.save('a', '1', '2')).toBe('owner_full');
    expect(await store.read('a', '1', '2')).toEqual([undefined, undefined]);
  });

  test("values larger than the reader's limit are not read", async () => {
    using store = await open();
    await store.save('a', '1', '2');
    const names = ['1', '2'].map((id) => store.values.nameOf('a', id));
    await expect(store.values.read(names, 5)).rejects.toThrow(TooManyBytes);
    expect(await store.values.read(names, 6)).toHaveLength(2);
  });
});

describe.skipIf(!inject('ownRedis'))('values in a Redis', () => {
  test('that is half full leave the other half to limits and revocations', async () => {
    await using redis = await startRedisServer({ settings: ['--maxmemory', '4mb'] });
    if (redis === undefined) throw new Error('there was a redis-server a moment ago');
    using connection = await connect(redis.url);
    const values = new ExpiringValues(connection, { ttlMs: 60_000, maxBytesOfOwner: 100_000 * KB });
    const save = () =>
      values.save('a', [
        { name: values.nameOf('a', randomBytes(8).toString('hex')), bytes: randomBytes(50 * KB) },
      ]);
    await until(async () => (await save()) === 'redis_full');
    expect(await connection.client.set('revocation', '1')).toBe('OK');
    values.close();
  });

  test('that goes away fail at once after a while, and are there again soon after it is back', async () => {
    const first = await startRedisServer();
    if (first === undefined) throw new Error('there was a redis-server a moment ago');
    const connection = connectRedis({ url: first.url, commandTimeoutMs: 500 });
    await connection.whenReady(5_000);
    const health: boolean[] = [];
    const values = new ExpiringValues(connection, {
      ttlMs: 60_000,
      maxBytesOfOwner: 100 * KB,
      onHealthChange: (isThere) => health.push(isThere),
      probeIntervalMs: 50,
    });
    const name = values.nameOf('a', '1');
    const save = () => values.save('a', [{ name, bytes: Buffer.from('x') }]);
    expect(await save()).toBeUndefined();
    first.suspend();
    for (let failures = 0; failures < 5; failures++) await expect(save()).rejects.toThrow('does not respond');
    await expect(values.read([name], KB)).rejects.toThrow('has not responded for a while');
    first.resume();
    await until(() => health.at(-1) === true);
    expect(await save()).toBeUndefined();
    expect(health).toEqual([false, true]);
    values.close();
    connection.close();
    await first.stop();
  });
});
