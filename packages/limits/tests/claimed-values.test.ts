import { randomBytes, randomUUID } from 'node:crypto';
import { startRedisServer, until } from '@model-gateway/test-kit';
import { describe, expect, inject, test } from 'vitest';
import { type Claim, ClaimedValues, type ClaimResult } from '../src/index.ts';
import { connect, ownPrefix, redisUrl } from './shared-redis.ts';

const KB = 1_024;

describe.skipIf(redisUrl === undefined)('values that one writer at a time may produce', () => {
  async function open({ leaseMs = 60_000, maxBytesOfOwner = 100 * KB, url = redisUrl } = {}) {
    const connection = await connect(url);
    const values = new ClaimedValues(connection, {
      ttlMs: 60_000,
      maxBytesOfOwner,
      keyPrefix: ownPrefix(),
      leaseMs,
      maxInlineBytes: 10,
    });
    return {
      values,
      claim: (id: string, { requestId = String(randomUUID()), owner = 'a', fingerprints = ['same'] } = {}) =>
        values.claim({ owner, id, requestId, fingerprints }),
      [Symbol.dispose]: () => {
        values.close();
        connection.close();
      },
    };
  }

  function claimOf(result: ClaimResult): Claim {
    if (result.outcome !== 'claimed') throw new Error(`it is ${result.outcome}`);
    return result.claim;
  }

  test('are claimed by one of many at once', async () => {
    using store = await open();
    const results = await Promise.all(Array.from({ length: 50 }, () => store.claim('1')));
    const outcomes = results.map(({ outcome }) => outcome);
    expect(outcomes.filter((outcome) => outcome === 'claimed')).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome === 'running')).toHaveLength(49);
    expect((await store.claim('1', { owner: 'b' })).outcome).toBe('claimed');
  });

  test('are answered once, or failed, or freed for another request', async () => {
    using store = await open();
    const first = claimOf(await store.claim('1', { requestId: 'first' }));
    expect((await store.claim('1', { fingerprints: ['other'] })).outcome).toBe('mismatch');
    await store.values.answer(first, Buffer.from('short'));
    const answered = { outcome: 'answered', requestId: 'first', answer: Buffer.from('short') };
    expect(await store.claim('1', { fingerprints: ['new', 'same'] })).toMatchObject(answered);
    const second = claimOf(await store.claim('2', { requestId: 'second' }));
    const bytes = randomBytes(11);
    await store.values.answer(second, bytes);
    expect(await store.claim('2')).toMatchObject({ outcome: 'answered', bytes: 11, answer: undefined });
    expect(await store.values.read(second.name)).toEqual(bytes);
    const third = claimOf(await store.claim('3', { requestId: 'third' }));
    await store.values.fail(third, 'broken');
    expect(await store.claim('3')).toEqual({ outcome: 'ended', requestId: 'third', reason: 'broken' });
    await store.values.release(claimOf(await store.claim('4')));
    const fifth = await store.claim('4', { requestId: 'fifth', fingerprints: ['other'] });
    expect(fifth).toMatchObject({ outcome: 'claimed', requestId: 'fifth' });
  });

  test('of a writer that died go to the next one, under the request id of the first', async () => {
    using store = await open({ leaseMs: 3_000 });
    const died = claimOf(await store.claim('1', { requestId: 'first' }));
    let next: ClaimResult | undefined;
    await until(async () => {
      next = await store.claim('1', { requestId: 'second' });
      return next.outcome === 'claimed';
    });
    expect(next).toMatchObject({ requestId: 'first' });
    // Back from a long pause, the first one changes nothing.
    expect(await store.values.renew(died)).toBe(false);
    await store.values.answer(died, Buffer.from('late'));
    await store.values.release(died);
    expect((await store.claim('1')).outcome).toBe('running');
  });

  test('that a continued request gives up go to the next one, under the request id of the first', async () => {
    using store = await open();
    await store.values.handOn(claimOf(await store.claim('1', { requestId: 'first' })));
    expect(await store.claim('1', { requestId: 'second' })).toMatchObject({ requestId: 'first' });
    expect((await store.claim('1')).outcome).toBe('running');
  });

  test('stay claimed while the lease is renewed', async () => {
    using store = await open({ leaseMs: 3_000 });
    const claim = claimOf(await store.claim('1'));
    const startedAtMs = performance.now();
    while (performance.now() - startedAtMs < 5_000) {
      expect(await store.values.renew(claim)).toBe(true);
      expect((await store.claim('1')).outcome).toBe('running');
    }
  });

  test('that are freed take no bytes of their owner', async () => {
    using store = await open({ maxBytesOfOwner: KB });
    for (let i = 0; i < 10; i++) await store.values.release(claimOf(await store.claim(String(i))));
    expect((await store.claim('11')).outcome).toBe('claimed');
  });

  test.skipIf(!inject('ownRedis'))('are found in a Redis with little memory left', async () => {
    await using redis = await startRedisServer({ settings: ['--maxmemory', '4mb'] });
    using store = await open({ maxBytesOfOwner: 100 * KB * KB, url: redis?.url });
    await store.values.answer(claimOf(await store.claim('answered')), Buffer.from('short'));
    const running = claimOf(await store.claim('running'));
    let filled = 0;
    await until(async () => {
      const result = await store.claim(`filler ${filled++}`);
      if (result.outcome !== 'claimed') return result.outcome === 'redis_full';
      await store.values.answer(result.claim, randomBytes(50 * KB));
      return false;
    });
    expect((await store.claim('answered')).outcome).toBe('answered');
    expect((await store.claim('running')).outcome).toBe('running');
    expect(await store.values.answer(running, Buffer.from('short'))).toBe('redis_full');
  });

  test('of one owner stay within its share, whatever others have stored', async () => {
    using store = await open({ maxBytesOfOwner: 10 * KB });
    const claim = claimOf(await store.claim('1'));
    expect(await store.values.answer(claim, randomBytes(11 * KB))).toBe('owner_full');
    expect((await store.claim('1')).outcome).toBe('running');
    expect(await store.values.answer(claim, randomBytes(9 * KB + 100))).toBeUndefined();
    expect((await store.claim('2')).outcome).toBe('owner_full');
    expect((await store.claim('1')).outcome).toBe('answered');
    expect((await store.claim('2', { owner: 'b' })).outcome).toBe('claimed');
  });
});
