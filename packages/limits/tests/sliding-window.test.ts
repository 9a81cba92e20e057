import { describe, expect, test } from 'vitest';
import { type Limiter, MemoryLimiter, RedisLimiter } from '../src/index.ts';
import { isAdmitted, ManualClock, request } from './requests.ts';
import { connect, ownPrefix, redisUrl } from './shared-redis.ts';

const LIMIT = 60;
const HOUR_MICROS = 3_600_000_000;
const WINDOW_MICROS = 60_000_000;

test('memory never accepts more than the limit in any 60 s of an hour', async () => {
  const clock = new ManualClock();
  await expectSliding(new MemoryLimiter({ clockMicros: clock.read }), clock);
});

test.skipIf(redisUrl === undefined)(
  'Redis never accepts more than the limit in any 60 s of an hour',
  async () => {
    using connection = await connect();
    const clock = new ManualClock();
    await expectSliding(
      new RedisLimiter(connection, { keyPrefix: ownPrefix(), clockMicros: clock.read }),
      clock,
    );
  },
);

describe.skipIf(redisUrl === undefined)('by the clock of Redis', () => {
  test('a place is free again when the window has passed, at the time in the refusal', async () => {
    using connection = await connect();
    const limiter = new RedisLimiter(connection, { keyPrefix: ownPrefix(), windowMs: 300 });
    const once = () => limiter.admit(request({ policies: [{ name: 'key', bucket: 'free', limit: 1 }] }));
    // A busy machine may need longer than the window for two of them.
    let refused = await once();
    while (refused.outcome !== 'refused') refused = await once();
    expect(refused.retryAfterMs).toBeGreaterThan(0);
    expect(refused.retryAfterMs).toBeLessThanOrEqual(300);
    await new Promise((resolve) => setTimeout(resolve, refused.retryAfterMs + 2));
    expect(isAdmitted(await once())).toBe(true);
  });
});

/** Bursts, steady load and pauses for a simulated hour at about three times the limit. */
async function expectSliding(limiter: Limiter, clock: ManualClock): Promise<void> {
  const accepted: number[] = [];
  const end = clock.now + HOUR_MICROS;
  let asked = 0;
  while (clock.now < end) {
    const burst = Math.random() < 0.05 ? Math.ceil(Math.random() * 90) : 1;
    const admissions = await Promise.all(
      Array.from({ length: burst }, () =>
        limiter.admit(request({ policies: [{ name: 'key', bucket: 'free', limit: LIMIT }] })),
      ),
    );
    asked += burst;
    for (const _ of admissions.filter(isAdmitted)) accepted.push(clock.now);
    clock.now += Math.ceil(Math.random() * 2_000_000);
  }
  const most = accepted.map((from, index) => {
    const next = accepted.findIndex((time, later) => later > index && time >= from + WINDOW_MICROS);
    return (next === -1 ? accepted.length : next) - index;
  });
  const worst = Math.max(...most);
  console.info(
    `${limiter.constructor.name}: ${asked} asked, ${accepted.length} accepted in an hour, ${worst} at ` +
      'most in any 60 s',
  );
  expect(worst).toBe(LIMIT);
  // The limit must also be used: the load is enough to fill nearly every minute.
  expect(accepted.length).toBeGreaterThan(50 * LIMIT);
}
