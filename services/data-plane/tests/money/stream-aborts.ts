import { setTimeout as wait } from 'node:timers/promises';
import { connectRedis } from '@model-gateway/limits';
import {
  chatBody,
  postJson,
  startGateway,
  startOwnRedis,
  type TestGateway,
  until,
} from '@model-gateway/test-kit';
import { expect } from 'vitest';

export interface AbortDrill {
  /**
   * After each round every stream has ended and Redis holds no lease; far shorter than a lease, so that none
   * of them expires unseen.
   */
  rounds: number;
  streamsPerRound: number;
  keys: number;
}

/** Client's moment to go away. */
type Moment = 'before headers' | 'after first event' | 'midway' | 'after the end' | 'never';

interface Plan {
  moment: Moment;
  /** Milliseconds after sending, or number of reads; whatever the moment needs. */
  after: number;
  simulate: object;
}

const STREAM_LIMIT = 10;
/** More than a key has slots, so that some requests find none. */
const LANES_PER_KEY = 11;
const DATA_PLANES = 2;
const MOMENTS: readonly Moment[] = [
  'before headers',
  'after first event',
  'midway',
  'midway',
  'after the end',
  'never',
];
/** Far below the share at which a provider is shut out. */
const FAILING_SHARE = 0.2;
const FAILURES: readonly object[] = [
  { status: 500 },
  { status: 503 },
  { reset: 'before_headers' },
  { reset: 'after_headers' },
  { reset: { after_events: 3 } },
  { truncate: { after_events: 2 } },
  { rubbish: 'html' },
  { rubbish: 'bad_chunk' },
  { sse: 'error_event' },
];

/**
 * Streams on several keys and two data planes, whose clients leave at random moments and whose provider fails
 * at random. After each round every key must have exactly its ten slots again.
 */
export async function abortDrill({ rounds, streamsPerRound, keys: keyCount }: AbortDrill): Promise<void> {
  await using server = await startOwnRedis();
  using redis = connectToRedis(server.url);
  await using gateway = await startGateway({
    defaultLimits: true,
    dataPlanes: DATA_PLANES,
    redisUrl: server.url,
  });
  const keys = await Promise.all(Array.from({ length: keyCount }, () => keyWithManyRequests(gateway)));
  const tally: Record<string, number> = {};
  const count = (what: string) => {
    tally[what] = (tally[what] ?? 0) + 1;
  };
  for (let round = 1; round <= rounds; round++) {
    let left = streamsPerRound;
    const lane = async (rawKey: string) => {
      while (left > 0) {
        const plan = randomPlan();
        const outcome = await runStream(gateway, rawKey, plan);
        count(outcome === 429 ? 'refused, all slots taken' : plan.moment);
        if (outcome === 429) await wait(Math.random() * 50);
        else left -= 1;
      }
    };
    await Promise.all(
      keys.flatMap(({ rawKey }) => Array.from({ length: LANES_PER_KEY }, () => lane(rawKey))),
    );
    await expectNoLease(redis);
    for (const key of keys) await expectExactlyTenSlots(gateway, redis, key);
    await expectNoLease(redis);
  }
  expect(gateway.logText()).not.toContain('limits are counted in memory');
  expect(gateway.logText()).not.toContain('unexpected failure');
  console.log(`random aborts: ${JSON.stringify(tally)}`);
}

type RedisClient = ReturnType<typeof connectToRedis>;

function connectToRedis(url: string) {
  const connection = connectRedis({ url, commandTimeoutMs: 5_000 });
  return {
    /** Number of leases by Redis key. */
    async leases(): Promise<Record<string, number>> {
      await connection.whenReady(5_000);
      const names = await connection.client.keys('gateway:streams:*');
      const counts = await Promise.all(names.map((name) => connection.client.zcard(name)));
      return Object.fromEntries(names.map((name, index) => [name, counts[index] ?? 0]));
    },
    [Symbol.dispose]: () => connection.close(),
  };
}

async function keyWithManyRequests(gateway: TestGateway) {
  const key = await gateway.createKey();
  await gateway.admin.call(5_000, 'accounts', 'setLimits', {
    account: key.accountId,
    freePerMinute: { value: 1_000_000 },
  });
  return key;
}

function randomPlan(): Plan {
  const moment = pick(MOMENTS);
  const failure = Math.random() < FAILING_SHARE ? pick(FAILURES) : {};
  if (moment === 'before headers') {
    // From the middle of authentication to the wait for the provider.
    return { moment, after: Math.random() ** 2 * 120, simulate: { delay_ms: 100, ...failure } };
  }
  const tokens = 4 + Math.floor(Math.random() * 20);
  return {
    moment,
    after: 2 + Math.floor(Math.random() * tokens),
    simulate: {
      delay_ms: Math.random() * 30,
      token_delay_ms: Math.random() * 30,
      content: 'word '.repeat(tokens),
      ...failure,
    },
  };
}

function pick<Item>(items: readonly [Item, ...Item[]] | readonly Item[]): Item {
  const item = items[Math.floor(Math.random() * items.length)];
  if (item === undefined) throw new Error('nothing to pick from');
  return item;
}

/** @returns the status, or undefined where the client left before there was one */
async function runStream(
  gateway: TestGateway,
  rawKey: string,
  { moment, after, simulate }: Plan,
): Promise<number | undefined> {
  const abort = new AbortController();
  const timer = moment === 'before headers' ? setTimeout(() => abort.abort(), after) : undefined;
  let status: number | undefined;
  try {
    const response = await openStream(gateway, rawKey, randomPlane(), simulate, abort.signal);
    status = response.status;
    const reader = (response.body ?? new ReadableStream<Uint8Array>()).getReader();
    for (let reads = 1; !(await reader.read()).done; reads++) {
      if (moment === 'after first event' || (moment === 'midway' && reads >= after)) abort.abort();
    }
    if (moment === 'after the end') abort.abort();
  } catch {
    // Left, or broken off by a failing provider.
  } finally {
    clearTimeout(timer);
  }
  return status;
}

function randomPlane(): number {
  return Math.floor(Math.random() * DATA_PLANES);
}

function openStream(
  gateway: TestGateway,
  rawKey: string,
  plane: number,
  simulate: object,
  signal: AbortSignal,
): Promise<Response> {
  return postJson(gateway.urlOf(plane), rawKey, 'chat/completions', chatBody({ stream: true, simulate }), {
    signal,
  });
}

/** Expects no lease right after the last stream, before one could expire by itself. */
async function expectNoLease(redis: RedisClient): Promise<void> {
  await until(async () => Object.keys(await redis.leases()).length === 0, 2_000).catch(() => undefined);
  expect(await redis.leases()).toEqual({});
}

async function expectExactlyTenSlots(
  gateway: TestGateway,
  redis: RedisClient,
  { id, rawKey }: { id: string; rawKey: string },
): Promise<void> {
  const abort = new AbortController();
  const open = (plane: number) =>
    openStream(gateway, rawKey, plane, { hang: { after_events: 1 } }, abort.signal);
  try {
    const opened = await Promise.all(
      Array.from({ length: STREAM_LIMIT }, (_, index) => open(index % DATA_PLANES)),
    );
    expect(opened.map(({ status }) => status)).toEqual(Array.from({ length: STREAM_LIMIT }, () => 200));
    for (let plane = 0; plane < DATA_PLANES; plane++) {
      const eleventh = await open(plane);
      expect(eleventh.status).toBe(429);
      expect(await eleventh.text()).toContain('concurrent_streams_exceeded');
    }
    expect(await redis.leases()).toEqual({ [`gateway:streams:{${id}}:streams:${id}`]: STREAM_LIMIT });
  } finally {
    abort.abort();
  }
  await expectNoLease(redis);
}
