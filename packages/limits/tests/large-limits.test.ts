import { startRedisServer } from '@model-gateway/test-kit/redis';
import { expect, test } from 'vitest';
import { type RedisConnection, RedisLimiter } from '../src/index.ts';
import { LARGEST_LOGGED_LIMIT } from '../src/limiter.ts';
import { isAdmitted, ManualClock, request } from './requests.ts';
import { connect, ownPrefix, redisUrl } from './shared-redis.ts';

const LIMIT = 1_000_000;
/** Enough for every cell of the minute to have some; the benchmark sends a million. */
const REQUESTS = 40_000;
const AT_ONCE = 500;
const MINUTES = 3;
const MINUTE_MICROS = 60_000_000;

test('a full minute of a large limit takes at most 300 kB, and is deleted ten times as fast as a log', async ({
  skip,
}) => {
  // A Redis of its own, whose counters are those of this test alone.
  await using server = await startRedisServer();
  if (server === undefined) return skip('there is no redis-server on the PATH');
  using connection = await connect(server.url);
  const cells = [];
  for (let minute = 0; minute < MINUTES; minute++)
    cells.push(await fillMinute(connection, LARGEST_LOGGED_LIMIT));
  const logs = await fillMinute(connection, LIMIT);
  console.info(`${REQUESTS} requests: ${JSON.stringify({ cells, logs })}`);
  expect(Math.max(...cells.map(({ bytes }) => bytes))).toBeLessThan(300_000);
  // The fastest: whatever else runs on the machine only adds time.
  expect(Math.min(...cells.map(({ clearMicros }) => clearMicros))).toBeLessThan(logs.clearMicros / 10);
});

test.skipIf(redisUrl === undefined)('a clock that was set back frees no place early', async () => {
  using connection = await connect();
  const clock = new ManualClock();
  const limiter = new RedisLimiter(connection, {
    keyPrefix: ownPrefix(),
    clockMicros: clock.read,
    largestLogged: 1,
  });
  const ask = async () => isAdmitted(await limiter.admit(oneOf(2)));
  expect(await ask()).toBe(true);
  clock.advanceMs(-10_000);
  expect(await ask()).toBe(true);
  clock.advanceMs(60_000);
  expect(await ask()).toBe(false);
  clock.advanceMs(10_005);
  expect(await ask()).toBe(true);
});

test.skipIf(redisUrl === undefined)(
  'a request of a large limit leaves a key that ends by itself',
  async () => {
    using connection = await connect();
    const keyPrefix = ownPrefix();
    await new RedisLimiter(connection, { keyPrefix }).admit(oneOf(LIMIT));
    const keys = await connection.client.keys(`${keyPrefix}*`);
    expect(keys).toEqual([`${keyPrefix}cells:{key-1}:paid`]);
    const ttlMs = await connection.client.pttl(keys[0] ?? '');
    expect(ttlMs).toBeGreaterThan(25_000);
    expect(ttlMs).toBeLessThanOrEqual(60_005);
  },
);

function oneOf(limit: number) {
  return request({ policies: [{ name: 'key', bucket: 'paid', limit }] });
}

/** Fills a minute evenly, and lets all but its end leave at once. */
async function fillMinute(connection: RedisConnection, largestLogged: number) {
  const { client } = connection;
  const clock = new ManualClock();
  const keyPrefix = ownPrefix();
  const limiter = new RedisLimiter(connection, { keyPrefix, clockMicros: clock.read, largestLogged });
  for (let sent = 0; sent < REQUESTS; sent += AT_ONCE) {
    const admissions = Array.from({ length: AT_ONCE }, () => {
      clock.now += MINUTE_MICROS / REQUESTS;
      return limiter.admit(oneOf(LIMIT));
    });
    expect((await Promise.all(admissions)).every(isAdmitted)).toBe(true);
  }
  const [key = ''] = await client.keys(`${keyPrefix}*`);
  const bytes = Number(await client.memory('USAGE', key, 'SAMPLES', 0));
  clock.now += MINUTE_MICROS - MINUTE_MICROS / REQUESTS;
  await client.config('RESETSTAT');
  expect(isAdmitted(await limiter.admit(oneOf(LIMIT)))).toBe(true);
  const clearMicros = Number(
    /cmdstat_evalsha:calls=1,usec=(\d+)/.exec(await client.info('commandstats'))?.[1],
  );
  return { bytes, clearMicros };
}
