import { failureText } from './bench.ts';
import { measureColdPayers } from './cold-payers.ts';
import { modelNames } from './gateway/bench-catalog.ts';
import { Gateway, type GatewayOptions } from './gateway/gateway.ts';
import type { GatewaySize } from './gateway/seed-gateway.ts';
import { warmKeys } from './gateway/warm-keys.ts';
import type { ClosedLoopResult } from './load/job.ts';
import type { LoadGenerator } from './load/load-generator.ts';
import type { Dimension } from './options.ts';
import { interleave, roundsJson } from './parts/rounds.ts';
import type { Plan } from './plan.ts';
import type { Assertion, Goal, PartResult } from './results/part-result.ts';
import { median, spreadText } from './results/statistics.ts';
import { gatewayTarget } from './targets/own-targets.ts';
import { type Target, trafficTo } from './targets/target.ts';

const SMALL = { requestBytes: 1_000, answerBytes: 1_000, chunks: 0, intervalMs: 0 };
/** Ratios below these may be the noise of the machine, as repeated rounds of the same have shown. */
const FLAT: Record<Dimension, number> = { keys: 1.1, models: 1.1, teams: 1.15 };

export interface GrowthOptions {
  plan: Plan;
  load: LoadGenerator;
  start: Omit<GatewayOptions, 'name' | 'size'>;
  /** The bare proxy in the same rounds shows what the machine itself did meanwhile. */
  bare: Target;
  say: (line: string) => void;
  direct: Target;
  dimensions: readonly Dimension[];
}

/**
 * Sends the same requests to a small and a large gateway, side by side, once for each thing that may grow.
 */
export async function measureGrowth(options: GrowthOptions) {
  const { plan, say } = options;
  const rows: string[][] = [];
  const rounds: Record<string, unknown> = {};
  const more: PartResult[] = [];
  const goals: Goal[] = [];
  const assertions: Assertion[] = [];
  for (const dimension of options.dimensions) {
    const [few, many] = plan.growth.sizes[dimension];
    await using stack = new AsyncDisposableStack();
    const sizes = new Map<Target, { gateway: Gateway; count: number }>();
    for (const count of [few, many]) {
      say(`a gateway with ${count} ${dimension} ...`);
      const size = sizeWith(plan, dimension, count);
      const name = `${dimension}_${count}`;
      const gateway = stack.use(await Gateway.start({ ...options.start, name, size }));
      const target = { ...gatewayTarget(gateway, size.keys), name: `${count} ${dimension}` };
      await warmKeys(options.load, target, size.keys);
      sizes.set(target, { gateway, count });
    }
    const answers = new Map<Target, number>();
    const measure = async (target: Target, bounds: Bounds) => {
      const result = await measureOne(options, target, sizes.get(target), dimension, bounds);
      answers.set(target, (answers.get(target) ?? 0) + result.answers);
      return result;
    };
    const { turns, requests, atMostMs } = plan.closedLoop.compile;
    for (let turn = 0; turn < turns; turn++) {
      for (const target of sizes.keys())
        await measure(target, { warmUpMs: 0, measureMs: atMostMs, requests });
    }
    const found = await interleave([options.bare, ...sizes.keys()], plan.growth.rounds, (target, round) => {
      say(`growth of ${dimension}, round ${round + 1}: ${target.name}`);
      return measure(target, plan.growth);
    });
    for (const [target, all] of found) rows.push(row(target, all));
    rounds[dimension] = roundsJson(found);
    const [small = Number.NaN, large = Number.NaN] = [...sizes.keys()].map((target) =>
      median((found.get(target) ?? []).map(({ cpuUs }) => cpuUs)),
    );
    goals.push({
      says: `${many} ${dimension} cost at most ${FLAT[dimension]} × as much per request as ${few}`,
      isReached: large / small <= FLAT[dimension],
      found: `${(large / small).toFixed(2)} ×`,
    });
    if (dimension === 'teams') {
      const cold = await measureColdPayers(options, [...sizes.values()].at(-1)?.gateway);
      more.push(cold.part);
      goals.push(...cold.goals);
      for (const [target, { count }] of sizes) {
        if (count === many) answers.set(target, (answers.get(target) ?? 0) + cold.answers);
      }
    }
    for (const [target, { gateway }] of sizes) {
      await gateway.settled();
      const answered = answers.get(target) ?? 0;
      const records = await gateway.database.usageRecords();
      assertions.push({
        says: `${target.name}: every answer is recorded, once`,
        isTrue: records === answered,
        found: `${records} records, ${answered} answers`,
      });
    }
  }
  return { parts: [part(plan, rows, rounds), ...more], goals, assertions };
}

function sizeWith(plan: Plan, dimension: Dimension, count: number): GatewaySize {
  const base = { keys: plan.keys, accounts: plan.accounts, models: 5, teams: 0, raiseLimits: true };
  // Few keys need no more accounts than keys.
  if (dimension === 'keys') return { ...base, keys: count, accounts: Math.min(count, plan.accounts) };
  // Each team needs a key, and one team gets as many.
  if (dimension === 'teams') base.keys = Math.max(plan.keys, plan.growth.sizes.teams[1]);
  return { ...base, [dimension]: count };
}

interface Found extends ClosedLoopResult {
  perSecond: number;
  cpuUs: number;
  hitPercent: number;
  callsPerRequest: number;
}

interface Bounds {
  warmUpMs: number;
  measureMs: number;
  requests?: number;
}

async function measureOne(
  { plan, load }: GrowthOptions,
  target: Target,
  under: { gateway: Gateway; count: number } | undefined,
  dimension: Dimension,
  { warmUpMs, measureMs, requests }: Bounds,
): Promise<Found> {
  const models = dimension === 'models' && under !== undefined ? modelNames(under.count) : modelNames(1);
  const traffic = {
    ...trafficTo(target, ...models.map((model) => ({ ...SMALL, model }))),
    order: 'random' as const,
  };
  await under?.gateway.settled();
  const before = under && (await counters(under.gateway));
  const result = await load.closedLoop({
    traffic,
    connections: plan.connections,
    warmUpMs,
    measureMs,
    ...(requests === undefined ? {} : { requests }),
    ...(target.pid === undefined ? {} : { pid: target.pid }),
  });
  const after = under && (await counters(under.gateway));
  const difference = (name: 'hits' | 'misses' | 'calls') => (after?.[name] ?? 0) - (before?.[name] ?? 0);
  return {
    ...result,
    perSecond: result.measured / result.seconds,
    cpuUs: ((result.cpuMs ?? Number.NaN) * 1_000) / Math.max(1, result.measured),
    hitPercent: (100 * difference('hits')) / Math.max(1, difference('hits') + difference('misses')),
    callsPerRequest: difference('calls') / Math.max(1, result.answers),
  };
}

async function counters(gateway: Gateway) {
  return {
    hits: await gateway.dataPlaneMetric('gateway_key_lookups_total', 'result="hit"'),
    misses: await gateway.dataPlaneMetric('gateway_key_lookups_total', 'result="miss"'),
    calls: await gateway.controlPlaneCalls(),
  };
}

function row(target: Target, all: readonly Found[]): string[] {
  const isGateway = target.keysFile !== undefined;
  return [
    target.name,
    spreadText(
      all.map(({ perSecond }) => perSecond),
      0,
    ),
    spreadText(
      all.map(({ cpuUs }) => cpuUs),
      0,
    ),
    spreadText(
      all.map(({ latency }) => latency.p99),
      1,
    ),
    isGateway
      ? spreadText(
          all.map(({ hitPercent }) => hitPercent),
          1,
        )
      : '–',
    isGateway
      ? spreadText(
          all.map(({ callsPerRequest }) => callsPerRequest),
          3,
        )
      : '–',
    failureText(all),
  ];
}

function part(plan: Plan, rows: readonly string[][], rounds: unknown): PartResult {
  return {
    name: 'growth',
    title: 'Growth',
    note:
      `Closed loop, ${plan.connections} connections, 1 kB there and back, keys and models at random, ` +
      'limits raised. Both gateways of a pair and the bare proxy run side by side, and take turns. ' +
      'Known keys: the share of requests whose key was in the cache of the data plane. Calls: unary ' +
      'gRPC calls that the control plane answered, per request.',
    columns: [
      'Gateway with',
      'Requests/s',
      'CPU µs per request',
      'p99 ms',
      'Known keys %',
      'gRPC calls',
      'Failures',
    ],
    rows,
    rounds,
  };
}
