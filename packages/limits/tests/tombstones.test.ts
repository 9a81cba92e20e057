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

  test('a Redis that lost its data has no marker until everything is written again', async () => {
    using connection = await connect();
    const keyPrefix = ownPrefix();
    const tombstones = new Tombstones(connection, { keyPrefix });
    expect(await tombstones.hasMarker()).toBe(false);
    const all = [1n, 2n, 3n].map((revision) => ({ hashTag: `${revision}`, keyId: 'a', revision }));
    expect(await tombstones.restore(all)).toBe(true);
    expect(await tombstones.hasMarker()).toBe(true);
    expect(await connection.client.keys(`${keyPrefix}tombstone:*`)).toHaveLength(3);
  });

  test('data lost while it is written again leaves no marker', async () => {
    using connection = await connect();
    const keyPrefix = ownPrefix();
    const tombstones = new Tombstones(connection, { keyPrefix });
    async function* interrupted() {
      yield { hashTag: 'a', keyId: 'a', revision: 1n };
      await connection.client.del(...(await connection.client.keys(`${keyPrefix}*`)));
      yield { hashTag: 'b', keyId: 'b', revision: 2n };
    }
    expect(await tombstones.restore(interrupted())).toBe(false);
    expect(await tombstones.hasMarker()).toBe(false);
  });
});
