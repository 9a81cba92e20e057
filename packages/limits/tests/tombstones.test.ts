import { describe, expect, test } from 'vitest';
import { RedisLimiter, Tombstones } from '../src/index.ts';
import { request } from './requests.ts';
import { connect, ownPrefix, redisUrl } from './shared-redis.ts';

describe.skipIf(redisUrl === undefined)('tombstones', () => {
  test('a key is refused from the moment its tombstone is written', async () => {
    using connection = await connect();
    const keyPrefix = ownPrefix();
    const limiter = new RedisLimiter(connection, { keyPrefix });
    const tombstones = new Tombstones(connection, { keyPrefix });
    const asked = () => request({ hashTag: 'team-1', revokedKeyId: 'a' });
    expect(await limiter.admit(asked())).toMatchObject({ outcome: 'admitted' });
    expect(await tombstones.write({ hashTag: 'team-1', keyId: 'a', revision: 7n })).toBe(true);
    expect(await limiter.admit(asked())).toEqual({ outcome: 'revoked', decidedBy: 'redis' });
    expect(await limiter.admit({ ...asked(), revokedKeyId: 'b' })).toMatchObject({ outcome: 'admitted' });
  });

  test('the highest revision stays for 24 h', async () => {
    using connection = await connect();
    const keyPrefix = ownPrefix();
    const tombstones = new Tombstones(connection, { keyPrefix });
    const write = (revision: bigint) => tombstones.write({ hashTag: 'a', keyId: 'a', revision });
    expect(await write(9n)).toBe(true);
    expect(await write(9n)).toBe(false);
    expect(await write(10n)).toBe(true);
    expect(await write(9_007_199_254_740_993n)).toBe(true);
    expect(await write(9_007_199_254_740_992n)).toBe(false);
    const key = `${keyPrefix}tombstone:{a}:a`;
    expect(await connection.client.get(key)).toBe('9007199254740993');
    expect(await connection.client.pttl(key)).toBeGreaterThan(86_390_000);
  });

  test('a key works again when its tombstone is lifted, and a late writer does not change that', async () => {
    using connection = await connect();
    const keyPrefix = ownPrefix();
    const limiter = new RedisLimiter(connection, { keyPrefix });
    const tombstones = new Tombstones(connection, { keyPrefix });
    const outcome = async () =>
      (await limiter.admit(request({ hashTag: 'team-1', revokedKeyId: 'a' }))).outcome;
    const at = (revision: bigint) => ({ hashTag: 'team-1', keyId: 'a', revision });
    await tombstones.append([at(7n)], undefined);
    expect(await outcome()).toBe('revoked');
    await tombstones.append([{ ...at(9n), lifted: true }], 7n);
    expect(await outcome()).toBe('admitted');
    expect(await tombstones.writtenUntil()).toBe(9n);
    expect(await tombstones.write(at(7n))).toBe(false);
    expect(await outcome()).toBe('admitted');
    // The key was revoked for good meanwhile: a late end of the suspension changes nothing.
    expect(await tombstones.append([at(11n)], 9n)).toBe(true);
    expect(await tombstones.lift(at(9n))).toBe(false);
    expect(await outcome()).toBe('revoked');
    // Everything is written at once, as after a loss of data: only the last state counts.
    expect(await tombstones.append([at(12n), { ...at(13n), lifted: true }], undefined)).toBe(true);
    expect(await outcome()).toBe('admitted');
  });

  const tombstone = (revision: bigint) => ({ hashTag: `${revision}`, keyId: `key-${revision}`, revision });

  test('the counter holds the last revision that was written, and is missing after a loss of all data', async () => {
    using connection = await connect();
    const keyPrefix = ownPrefix();
    const tombstones = new Tombstones(connection, { keyPrefix });
    expect(await tombstones.writtenUntil()).toBeUndefined();
    expect(await tombstones.append([1n, 2n, 3n].map(tombstone), undefined)).toBe(true);
    expect(await tombstones.writtenUntil()).toBe(3n);
    expect(await connection.client.keys(`${keyPrefix}tombstone:*`)).toHaveLength(3);
    expect(await tombstones.append([tombstone(9n), tombstone(10n)], 3n)).toBe(true);
    expect(await tombstones.writtenUntil()).toBe(10n);
    await connection.client.del(...(await connection.client.keys(`${keyPrefix}*`)));
    expect(await tombstones.writtenUntil()).toBeUndefined();
    expect(await tombstones.append([tombstone(11n)], 10n)).toBe(false);
    expect(await tombstones.writtenUntil()).toBeUndefined();
  });

  test('a counter that has fallen back is not moved on', async () => {
    using connection = await connect();
    const keyPrefix = ownPrefix();
    const tombstones = new Tombstones(connection, { keyPrefix });
    await tombstones.append([tombstone(99n)], undefined);
    const counter = (await connection.client.keys(`${keyPrefix}tombstones-until:*`))[0] ?? '';
    // This is how a replica looks that did not get the last write.
    await connection.client.set(counter, '98');
    expect(await tombstones.append([tombstone(100n)], 99n)).toBe(false);
    expect(await tombstones.writtenUntil()).toBe(98n);
    expect(await tombstones.append([99n, 100n].map(tombstone), 98n)).toBe(true);
    expect(await tombstones.writtenUntil()).toBe(100n);
  });

  test('a counter never moves back, whoever is late', async () => {
    using connection = await connect();
    const tombstones = new Tombstones(connection, { keyPrefix: ownPrefix() });
    expect(await tombstones.append([tombstone(9n), tombstone(10n)], undefined)).toBe(true);
    expect(await tombstones.append([tombstone(9n)], 8n)).toBe(true);
    expect(await tombstones.writtenUntil()).toBe(10n);
  });

  test('a tombstone that is lost before the counter advances makes the write fail', async () => {
    using connection = await connect();
    const keyPrefix = ownPrefix();
    const losing = Object.assign(new Tombstones(connection, { keyPrefix }), { write: async () => true });
    expect(await losing.append([tombstone(5n)], undefined)).toBe(false);
  });

  test('tells which keys have one', async () => {
    using connection = await connect();
    const tombstones = new Tombstones(connection, { keyPrefix: ownPrefix() });
    await tombstones.append([1n, 3n].map(tombstone), undefined);
    const asked = Array.from({ length: 250 }, (_, index) => tombstone(BigInt(index)));
    expect(await tombstones.revokedAmong(asked)).toEqual(new Set(['key-1', 'key-3']));
  });
});
