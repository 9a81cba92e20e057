import { setTimeout as wait } from 'node:timers/promises';
import { addPool, openBooks, postJson, startGateway, type TestGateway } from '@model-gateway/test-kit';
import { expect } from 'vitest';
import {
  addMonthlyPool,
  addSeat,
  createTeam,
  expectConsistent,
  expectLedgerAgrees,
  payingKey,
  warmKey,
} from './money-fixture.ts';

export interface InvariantsDrill {
  durationMs: number;
  /** Requests of each key at a time. */
  lanes: number;
}

/** Nano-USD per token of sim/chat-pro (start-gateway.ts). */
const PER_TOKEN = { input: 1_000n, cached: 500n, output: 2_000n };
const DATA_PLANES = 2;
/** The minimum number of compared costs, also on a slow machine. */
const ENOUGH_COSTS = 20;

const FAILURES: readonly object[] = [
  { status: 500 },
  { status: 503 },
  { status: 400 },
  { reset: 'before_headers' },
  { reset: 'after_headers' },
  { reset: { after_events: 3 } },
  { truncate: { after_events: 2 } },
  { rubbish: 'html' },
  { rubbish: 'bad_json' },
];
const LABELS: readonly Record<string, string>[] = [
  {},
  { 'x-gateway-tags': 'project=alpha,env=prod' },
  { 'x-gateway-tags': 'project=beta', 'x-session-id': 's1', 'x-gateway-end-user': 'anna' },
];
/** Far below the share at which a provider is shut out. */
const FAILING_SHARE = 0.15;
const REFUSED = new Set([401, 402, 503]);
const ABORTED_SHARE = 0.25;

/**
 * Requests of random costs, whose clients leave and whose provider fails at random, on several kinds of
 * payers, some of which run dry. At every sample all money is accounted for; in the end each answer that
 * arrived cost what it says.
 */
export async function invariantsDrill({ durationMs, lanes }: InvariantsDrill): Promise<string> {
  await using gateway = await startGateway({ dataPlanes: DATA_PLANES, controlPlanes: 2, ownPools: true });
  const rawKeys = await payers(gateway);
  for (const rawKey of rawKeys) {
    for (let plane = 0; plane < DATA_PLANES; plane++) await warmKey(gateway.urlOf(plane), rawKey);
  }
  const untilMs = performance.now() + durationMs;
  const costs = new Map<string, bigint>();
  const tally: Record<string, number> = {};
  const lane = async (rawKey: string) => {
    while (performance.now() < untilMs || costs.size <= ENOUGH_COSTS) {
      const outcome = await sendRandom(gateway.urlOf(below(DATA_PLANES)), rawKey, costs);
      tally[outcome] = (tally[outcome] ?? 0) + 1;
      if (outcome === '402') await wait(below(30));
    }
  };
  const sampling = sample(gateway, untilMs);
  await Promise.all(rawKeys.flatMap((rawKey) => Array.from({ length: lanes }, () => lane(rawKey))));
  const samples = await sampling;
  // No key was revoked and nothing of the gateway failed, so no request may have been refused for that.
  expect(tally['401'] ?? 0).toBe(0);
  expect(gateway.logText()).not.toContain('unexpected failure');
  await expectLedgerAgrees(gateway);
  const mistaken = await wrongCosts(gateway, costs);
  expect(mistaken).toEqual([]);
  expect(costs.size).toBeGreaterThan(ENOUGH_COSTS);
  return `${samples} samples, ${costs.size} costs compared, ${JSON.stringify(tally)}`;
}

/** An account with a pool that lasts and one that runs dry, and two seats of a team. */
async function payers(gateway: TestGateway): Promise<string[]> {
  const rich = await payingKey(gateway, '0.001', '50.00');
  const poor = await payingKey(gateway, '0.02');
  const teamId = await createTeam(gateway);
  const seats = [await addSeat(gateway, teamId), await addSeat(gateway, teamId)];
  await addPool(gateway.admin, { kind: 'team', id: teamId }, '0.05');
  for (const { seatId } of seats) await addMonthlyPool(gateway, { kind: 'seat', id: seatId }, '0.01');
  return [rich.rawKey, poor.rawKey, ...seats.map(({ rawKey }) => rawKey)];
}

/** Checks all pools again and again until then. @returns the number of checks */
async function sample(gateway: TestGateway, untilMs: number): Promise<number> {
  await using books = openBooks(gateway.databaseUrl);
  let samples = 0;
  for (; performance.now() < untilMs; samples++) {
    for (const pool of await books.pools()) expectConsistent(pool);
    await wait(10);
  }
  return samples;
}

/** @returns the status, or how else it ended */
async function sendRandom(url: string, rawKey: string, costs: Map<string, bigint>): Promise<string> {
  const abort = new AbortController();
  const timer =
    Math.random() < ABORTED_SHARE ? setTimeout(() => abort.abort(), Math.random() ** 2 * 150) : undefined;
  const tokens = 1 + below(40);
  const streamed = Math.random() < 0.5;
  const body = {
    model: 'sim/chat-pro',
    messages: [{ role: 'user', content: 'word '.repeat(1 + below(60)) }],
    ...(Math.random() < 0.9 ? { max_tokens: tokens + below(200) } : {}),
    ...(streamed ? { stream: true, stream_options: { include_usage: true } } : {}),
    simulate: {
      content: 'word '.repeat(tokens),
      cached_tokens: below(5),
      delay_ms: below(20),
      token_delay_ms: Math.random() * 5,
      ...(Math.random() < 0.1 ? { usage: pick(['missing', 'absurd']) } : {}),
      ...(Math.random() < FAILING_SHARE ? pick(FAILURES) : {}),
    },
  };
  try {
    const response = await postJson(url, rawKey, 'chat/completions', body, {
      signal: abort.signal,
      headers: pick(LABELS),
    });
    const text = await response.text();
    const requestId = response.headers.get('x-request-id') ?? '';
    // Failed requests are free; those refused here never reached the provider, and are not stored.
    if (response.status !== 200 && !REFUSED.has(response.status)) costs.set(requestId, 0n);
    if (response.status !== 200) return String(response.status);
    const cost = costOfAnswer(text);
    if (cost === undefined) return '200 without usage';
    costs.set(requestId, cost);
    return '200';
  } catch {
    return abort.signal.aborted ? 'aborted' : 'cut';
  } finally {
    clearTimeout(timer);
  }
}

/** Returns the cost of a response by the usage in it; a stream has that in one of its last events. */
function costOfAnswer(text: string): bigint | undefined {
  const usage = /"usage":(\{"prompt_tokens":.*?\}\})/.exec(text)?.[1] ?? '';
  const count = (name: string) => BigInt(new RegExp(`"${name}":(\\d+)`).exec(usage)?.[1] ?? '-1');
  const [input, cached, output] = [
    count('prompt_tokens'),
    count('cached_tokens'),
    count('completion_tokens'),
  ];
  if (input < 0n || cached < 0n || output < 0n) return undefined;
  return (input - cached) * PER_TOKEN.input + cached * PER_TOKEN.cached + output * PER_TOKEN.output;
}

/** Finds requests that were stored at another cost than their responses say, or not at all. */
async function wrongCosts(gateway: TestGateway, costs: ReadonlyMap<string, bigint>): Promise<string[]> {
  await using books = openBooks(gateway.databaseUrl);
  const stored = new Map(
    (await books.query('SELECT request_id, cost FROM usage_records')).map(({ request_id, cost }) => [
      request_id,
      cost,
    ]),
  );
  return [...costs].flatMap(([id, cost]) =>
    stored.get(id) === cost ? [] : [`${id} cost ${cost}, stored ${stored.get(id)}`],
  );
}

function below(limit: number): number {
  return Math.floor(Math.random() * limit);
}

function pick<Item>(items: readonly Item[]): Item {
  const item = items[below(items.length)];
  if (item === undefined) throw new Error('there is none to choose from');
  return item;
}
