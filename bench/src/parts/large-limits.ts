import { connectRedis, RedisLimiter } from '@model-gateway/limits';
import { Redis } from 'ioredis';
import { z } from 'zod';
import type { Bench } from '../bench.ts';
import type { PartResult } from '../results/part-result.ts';
import { numberText } from '../results/statistics.ts';

const LIMIT = 1_000_000;
const MINUTE_MICROS = 60_000_000;
const AT_ONCE = 500;
/** Redis notes each command that takes longer, in microseconds. */
const NOTED_FROM = 100;
const MOST_NOTED = 10_000;
/** The number of an entry, its time, how long the command took in microseconds, and more. */
const slowLog = z.array(z.tuple([z.number(), z.number(), z.number()], z.unknown()));
const GOAL_MB = 1;
const GOAL_CLEAR_MS = 5;
/** The answer to one long command is waited for. */
const TIMEOUT_MS = 60_000;

interface Found {
  bytes: number;
  cpuMicros: number;
  slowestMicros: number;
  clearMicros: number;
}

/**
 * Fills a minute of the largest limit by a clock of its own, as it is counted and as a log of every request,
 * and lets it leave at once: what the key takes in Redis, and the longest command.
 */
export async function measureLargeLimits(bench: Bench): Promise<PartResult> {
  const { requests } = bench.plan.largeLimits;
  const url = bench.gateway.redis?.url;
  const ways =
    url === undefined
      ? []
      : ([
          ['cells', undefined],
          ['log', LIMIT],
        ] as const);
  const rows: string[][] = [];
  const all: Record<string, Found> = {};
  for (const [way, largestLogged] of ways) {
    bench.say(`${requests} requests of one key, counted in: ${way}`);
    const found = await fillMinute({ url: url ?? '', way, requests, largestLogged });
    rows.push([
      way,
      numberText(found.bytes / 2 ** 20, 2),
      numberText(found.cpuMicros, 1),
      numberText(found.slowestMicros / 1_000, 2),
      numberText(found.clearMicros / 1_000, 2),
    ]);
    all[way] = found;
  }
  const cells = all.cells;
  bench.goal(
    `Redis for a key with ${numberText(requests, 0)} requests in a minute`,
    [cells === undefined ? Number.NaN : cells.bytes / 2 ** 20],
    GOAL_MB,
    'MB',
  );
  bench.goal(
    'The command in which they all leave',
    [cells === undefined ? Number.NaN : cells.clearMicros / 1_000],
    GOAL_CLEAR_MS,
    'ms',
  );
  return {
    name: 'large-limits',
    title: `A limit of ${numberText(LIMIT, 0)} a minute`,
    note:
      `${numberText(requests, 0)} requests of one key, evenly over a minute of a clock of their own. Cells: as ` +
      'limits of this size are counted. Log: as small ones are. The slowest command of those that fill it, ' +
      'and the one in which all leave; milliseconds in Redis.',
    columns: ['Counted in', 'MB of Redis', 'Redis µs per request', 'Slowest ms', 'All leave ms'],
    rows,
    rounds: all,
  };
}

async function fillMinute(options: {
  url: string;
  way: string;
  requests: number;
  largestLogged: number | undefined;
}): Promise<Found> {
  const { url, way, requests, largestLogged } = options;
  let now = 1_000_000_000_000_000;
  const connection = connectRedis({ url, commandTimeoutMs: TIMEOUT_MS });
  const redis = new Redis(url);
  const keyPrefix = `large-limits-${way}:`;
  const limiter = new RedisLimiter(connection, {
    keyPrefix,
    clockMicros: () => Math.round(now),
    largestLogged,
  });
  let sent = 0;
  const ask = () =>
    limiter.admit({
      requestId: `req_${String(sent++).padStart(24, '0')}`,
      hashTag: 'key',
      policies: [{ name: 'key', bucket: 'paid', limit: LIMIT }],
    });
  try {
    await connection.whenReady(TIMEOUT_MS);
    await redis.config('SET', 'slowlog-log-slower-than', NOTED_FROM);
    await redis.config('SET', 'slowlog-max-len', MOST_NOTED);
    await ask();
    await startCounting(redis);
    while (sent < requests) {
      await Promise.all(
        Array.from({ length: Math.min(AT_ONCE, requests - sent) }, () => {
          now += MINUTE_MICROS / requests;
          return ask();
        }),
      );
    }
    const filled = await counted(redis);
    const [key = ''] = await redis.keys(`${keyPrefix}*`);
    const bytes = Number(await redis.memory('USAGE', key, 'SAMPLES', 0));
    now += MINUTE_MICROS - MINUTE_MICROS / requests;
    await startCounting(redis);
    await ask();
    const { cpuMicros: clearMicros } = await counted(redis);
    await redis.unlink(key);
    return { bytes, ...filled, clearMicros };
  } finally {
    redis.disconnect();
    connection.close();
  }
}

async function startCounting(redis: Redis): Promise<void> {
  await redis.config('RESETSTAT');
  await redis.slowlog('RESET');
}

/**
 * @returns microseconds of a script call on average, and of the longest one or, if all are short, NOTED_FROM
 */
async function counted(redis: Redis): Promise<Pick<Found, 'cpuMicros' | 'slowestMicros'>> {
  const stats = await redis.info('commandstats');
  const slow = slowLog.parse(await redis.slowlog('GET', MOST_NOTED));
  return {
    cpuMicros: Number(/cmdstat_evalsha:.*?usec_per_call=([\d.]+)/.exec(stats)?.[1]),
    slowestMicros: Math.max(NOTED_FROM, ...slow.map(([, , micros]) => micros)),
  };
}
