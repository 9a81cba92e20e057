import { expect, test } from 'vitest';
import { isAdmitted, ManualClock, request } from '../../tests/requests.ts';
import { MemoryLimiter } from './memory-limiter.ts';

function limiter() {
  const clock = new ManualClock();
  return { clock, memory: new MemoryLimiter({ clockMicros: clock.read }) };
}

test('a place is free again 60 s after it was taken, and not a microsecond earlier', async () => {
  const { clock, memory } = limiter();
  for (let taken = 0; taken < 3; taken += 1) {
    expect(await memory.admit(request())).toMatchObject({
      outcome: 'admitted',
      policies: [{ name: 'key', limit: 3, remaining: 2 - taken }],
    });
    clock.advanceMs(10_000);
  }
  expect(await memory.admit(request())).toMatchObject({
    outcome: 'refused',
    by: 'key',
    retryAfterMs: 30_000,
    policies: [{ remaining: 0, resetMs: 30_000 }],
  });
  clock.now += 30_000_000 - 1;
  expect(isAdmitted(await memory.admit(request()))).toBe(false);
  clock.now += 1;
  expect(isAdmitted(await memory.admit(request()))).toBe(true);
});

test('a refusal by one limit uses nothing of the others', async () => {
  const { memory } = limiter();
  const ask = (team: number) =>
    memory.admit(
      request({
        policies: [
          { name: 'key', bucket: 'free', limit: 5 },
          { name: 'team', bucket: 'team', limit: team },
        ],
        stream: { bucket: 'streams', limit: 2 },
      }),
    );
  expect(await ask(1)).toMatchObject({ outcome: 'admitted', stream: { limit: 2, remaining: 1 } });
  expect(await ask(1)).toMatchObject({
    outcome: 'refused',
    by: 'team',
    policies: [
      { name: 'key', remaining: 4 },
      { name: 'team', remaining: 0 },
    ],
    stream: { remaining: 1 },
  });
  expect(await ask(5)).toMatchObject({ outcome: 'admitted', stream: { remaining: 0 } });
  expect(await ask(5)).toMatchObject({
    outcome: 'refused',
    by: 'streams',
    retryAfterMs: 1_000,
    policies: [{ remaining: 3 }, { remaining: 3 }],
  });
});

test('when several limits are full, the refusal names the one that is full longest', async () => {
  const { clock, memory } = limiter();
  await memory.admit(request({ policies: [{ name: 'key', bucket: 'free', limit: 1 }] }));
  clock.advanceMs(5_000);
  await memory.admit(request({ policies: [{ name: 'team', bucket: 'team', limit: 1 }] }));
  const both = await memory.admit(
    request({
      policies: [
        { name: 'key', bucket: 'free', limit: 1 },
        { name: 'team', bucket: 'team', limit: 1 },
      ],
    }),
  );
  expect(both).toMatchObject({ by: 'team', retryAfterMs: 60_000 });
});

test('a request that is repeated is admitted again and counted once', async () => {
  const { memory } = limiter();
  const repeated = request({ stream: { bucket: 'streams', limit: 1 } });
  const first = await memory.admit(repeated);
  expect(await memory.admit(repeated)).toEqual(first);
  expect(first).toMatchObject({
    outcome: 'admitted',
    policies: [{ remaining: 2 }],
    stream: { remaining: 0 },
  });
});

test('a limit that was lowered holds until enough requests have left the window', async () => {
  const { clock, memory } = limiter();
  for (let taken = 0; taken < 3; taken += 1) {
    await memory.admit(request());
    clock.advanceMs(1_000);
  }
  const lowered = request({ policies: [{ name: 'key', bucket: 'free', limit: 1 }] });
  expect(await memory.admit(lowered)).toMatchObject({ retryAfterMs: 59_000, policies: [{ remaining: 0 }] });
});

test('a limit of 0 admits nobody', async () => {
  const { memory } = limiter();
  const none = request({ policies: [{ name: 'key', bucket: 'free', limit: 0 }] });
  expect(await memory.admit(none)).toMatchObject({ outcome: 'refused', retryAfterMs: 60_000 });
});

test('a stream without a heartbeat loses its place after 30 s', async () => {
  const { clock, memory } = limiter();
  const open = (requestId: string) =>
    memory.admit(request({ requestId, policies: [], stream: { bucket: 'streams', limit: 1 } }));
  const lease = { requestId: 'a', hashTag: 'key-1', bucket: 'streams' };
  expect(isAdmitted(await open('a'))).toBe(true);
  clock.advanceMs(20_000);
  await memory.heartbeatStreams([lease]);
  clock.advanceMs(29_999);
  expect(isAdmitted(await open('b'))).toBe(false);
  clock.advanceMs(1);
  expect(isAdmitted(await open('b'))).toBe(true);
  await memory.releaseStream({ ...lease, requestId: 'b' });
  expect(isAdmitted(await open('c'))).toBe(true);
});

test('a revoked key is refused before anything is counted', async () => {
  const memory = new MemoryLimiter({ isRevoked: (keyId) => keyId === 'revoked' });
  expect(await memory.admit(request({ revokedKeyId: 'revoked' }))).toEqual({
    outcome: 'revoked',
    decidedBy: 'memory',
  });
  expect(await memory.admit(request({ revokedKeyId: 'other' }))).toMatchObject({
    policies: [{ remaining: 2 }],
  });
});

test('memory follows the clients of the last minute', async () => {
  const { clock, memory } = limiter();
  for (let client = 0; client < 10_000; client += 1) {
    await memory.admit(request({ hashTag: `client-${client}`, stream: { bucket: 'streams', limit: 1 } }));
  }
  expect(memory.bucketCount).toBe(20_000);
  clock.advanceMs(60_000);
  await memory.admit(request());
  expect(memory.bucketCount).toBe(1);

  const capped = new MemoryLimiter({ maxBuckets: 100 });
  for (let client = 0; client < 1_000; client += 1) await capped.admit(request({ hashTag: `${client}` }));
  expect(capped.bucketCount).toBe(100);
});

test('memory says what it would refuse without counting anything', async () => {
  const memory = new MemoryLimiter();
  const asked = request();
  for (let admitted = 0; admitted < 3; admitted += 1) {
    expect(memory.refusal(asked)).toBe(undefined);
    await memory.admit(request());
  }
  expect(memory.refusal(asked)).toMatchObject({ outcome: 'refused', by: 'key', decidedBy: 'memory' });
  expect((await memory.peek(asked)).policies).toMatchObject([{ remaining: 0 }]);
});
