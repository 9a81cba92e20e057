import { expect, test } from 'vitest';
import { ManualClock, request } from '../tests/requests.ts';
import { FallbackLimiter } from './fallback-limiter.ts';
import { KnownFull } from './known-full.ts';
import type { Admission, AdmissionRequest, Limiter, Peek, PeekRequest } from './limiter.ts';
import { MemoryLimiter } from './memory/memory-limiter.ts';

class CountedStore implements Limiter {
  readonly #memory: MemoryLimiter;
  calls = 0;
  isAway = false;

  constructor(memory: MemoryLimiter) {
    this.#memory = memory;
  }

  async admit(asked: AdmissionRequest): Promise<Admission> {
    this.calls += 1;
    if (this.isAway) throw new Error('away');
    return { ...(await this.#memory.admit(asked)), decidedBy: 'redis' };
  }

  peek(asked: PeekRequest): Promise<Peek> {
    return this.#memory.peek(asked);
  }

  async releaseStream(): Promise<void> {}
  async heartbeatStreams(): Promise<void> {}
  correctTokens(): void {}
}

function knownFull() {
  const clock = new ManualClock();
  const revoked = new Set<string>();
  const store = new CountedStore(
    new MemoryLimiter({ clockMicros: clock.read, isRevoked: (keyId) => revoked.has(keyId) }),
  );
  const watch = { isLive: true };
  const known = new KnownFull({ isTrusted: () => watch.isLive, now: () => clock.now / 1_000 });
  const limiter = new FallbackLimiter({
    redis: store,
    memory: new MemoryLimiter(),
    knownFull: known,
    expectedReplicas: 1,
    nodes: { nodeOf: () => '', hashTagOn: () => undefined, reconnect: () => {} },
  });
  const ask = (keyId = 'a', limit = 2) =>
    limiter.admit(
      request({
        hashTag: 'team-1',
        revokedKeyId: keyId,
        policies: [
          { name: 'key', bucket: `free:${keyId}`, limit },
          { name: 'team', bucket: 'team', limit: 100 },
        ],
      }),
    );
  return { clock, revoked, store, watch, known, limiter, ask };
}

test('a full bucket costs no call until its next place is free', async () => {
  const { clock, store, ask } = knownFull();
  for (let asked = 0; asked < 3; asked += 1) await ask();
  expect(store.calls).toBe(3);
  clock.advanceMs(1_000);
  for (let asked = 0; asked < 100; asked += 1) {
    expect(await ask()).toMatchObject({
      outcome: 'refused',
      by: 'key',
      retryAfterMs: 58_999,
      policies: [{ name: 'key', limit: 2, remaining: 0 }],
    });
  }
  expect(store.calls).toBe(3);
  clock.advanceMs(59_000);
  expect(await ask()).toMatchObject({ outcome: 'admitted' });
});

test('a key that is forgotten is asked for, so that its revocation shows', async () => {
  const { known, revoked, ask } = knownFull();
  for (let asked = 0; asked < 3; asked += 1) await ask();
  revoked.add('a');
  known.forget('a');
  expect(await ask()).toEqual({ outcome: 'revoked', decidedBy: 'redis' });
});

test('a key that is forgotten during its own call is asked for the next time', async () => {
  const { known, store, ask } = knownFull();
  await ask();
  await ask();
  const refusal = ask();
  known.forget('a');
  await refusal;
  await ask();
  expect(store.calls).toBe(4);
});

test('without news of revocations, Redis is asked for every request', async () => {
  const { revoked, watch, ask } = knownFull();
  for (let asked = 0; asked < 3; asked += 1) await ask();
  watch.isLive = false;
  revoked.add('a');
  expect(await ask()).toMatchObject({ outcome: 'revoked' });
});

test('what one key learnt is not held against another one of its team', async () => {
  const { store, ask } = knownFull();
  for (let asked = 0; asked < 3; asked += 1) await ask('a');
  expect(await ask('b')).toMatchObject({ outcome: 'admitted' });
  expect(store.calls).toBe(4);
});

test('a raised limit applies to the next request', async () => {
  const { ask } = knownFull();
  for (let asked = 0; asked < 3; asked += 1) await ask();
  expect(await ask('a', 10)).toMatchObject({ outcome: 'admitted' });
});

test('at the maximum of open streams, Redis is asked for every request', async () => {
  const { store, limiter } = knownFull();
  const open = () => limiter.admit(request({ stream: { bucket: 'streams', limit: 0 } }));
  for (let asked = 0; asked < 3; asked += 1) expect(await open()).toMatchObject({ by: 'streams' });
  expect(store.calls).toBe(3);
});

test('a refusal that memory decided is not remembered', async () => {
  const { store, ask } = knownFull();
  store.isAway = true;
  for (let asked = 0; asked < 5; asked += 1) await ask();
  expect(store.calls).toBe(5);
});

test('a full bucket stays known when another one fills', async () => {
  const { clock, known, store, limiter } = knownFull();
  const of = (bucket: string) =>
    request({ revokedKeyId: 'a', policies: [{ name: 'key', bucket, limit: 1 }] });
  expect(known.refusal(of('free'))).toBe(undefined);
  for (const bucket of ['free', 'free', 'paid', 'paid']) {
    await limiter.admit(of(bucket));
    clock.advanceMs(1_000);
  }
  const { calls } = store;
  expect(known.refusal(of('free'))).toMatchObject({ by: 'key', retryAfterMs: 55_999 });
  expect(known.refusal(of('paid'))).toMatchObject({ by: 'key', retryAfterMs: 57_999 });
  expect(known.refusal(of('reads'))).toBe(undefined);
  clock.advanceMs(57_000);
  expect(known.refusal(of('free'))).toBe(undefined);
  expect(known.refusal(of('paid'))).toMatchObject({ by: 'key' });
  expect(store.calls).toBe(calls);
});
