import type { Bench } from '../bench.ts';
import { Gateway, type GatewayOptions } from '../gateway/gateway.ts';
import type { ClosedLoopResult, Traffic } from '../load/job.ts';
import type { PartResult } from '../results/part-result.ts';
import { median, numberText, spreadOf } from '../results/statistics.ts';

const GOAL_P95_MS = 3;
const GOAL_PER_CORE = 10_000;
/** Enough that no address reaches its limit. */
const ADDRESSES = 65_536;

interface ModelsRequest {
  says: string;
  traffic: Partial<Traffic>;
  connections: number;
}

/**
 * Requests a long list of models from a catalog service: whole, compressed, and with the ETag of a copy. The
 * requests are anonymous, and Redis counts them by address.
 */
export async function measureModels(
  bench: Bench,
  start: Omit<GatewayOptions, 'name' | 'size'>,
): Promise<PartResult> {
  const { count, rounds, warmUpMs, measureMs } = bench.plan.models;
  const size = { keys: 1, accounts: 1, models: count, raiseLimits: false };
  await using gateway = await Gateway.start({ ...start, name: 'models', size });
  const catalog = await gateway.startCatalog();
  await using program = catalog.program;
  const answer = await fetch(`${catalog.url}/v1/models`);
  const bytes = (await answer.arrayBuffer()).byteLength;
  const etag = answer.headers.get('etag') ?? '';
  const requests: ModelsRequest[] = [
    { says: 'the whole list, one client', traffic: {}, connections: 1 },
    { says: 'the same, compressed', traffic: { headers: { 'accept-encoding': 'gzip' } }, connections: 1 },
    {
      says: 'with its ETag: 304',
      traffic: { headers: { 'if-none-match': etag }, expectStatus: 304 },
      connections: bench.plan.connections,
    },
  ];
  const found = new Map<ModelsRequest, ClosedLoopResult[]>(requests.map((request) => [request, []]));
  for (let round = 0; round < rounds; round++) {
    for (const [request, results] of found) {
      bench.say(`models, round ${round + 1}: ${request.says}`);
      results.push(
        await bench.load.closedLoop({
          traffic: { ...TRAFFIC, origin: catalog.url, ...request.traffic },
          connections: request.connections,
          warmUpMs,
          measureMs,
          pid: program.pid,
        }),
      );
    }
  }
  const [whole = [], compressed = [], unchanged = []] = [...found.values()];
  for (const [{ says }, results] of found) {
    const failures = results.flatMap((result) => Object.keys(result.failures));
    bench.assert(`${count} models, ${says}: every answer is right`, failures.length === 0, failures.join());
  }
  const list = `GET /v1/models of ${count} models`;
  const p95 = ({ latency }: ClosedLoopResult) => latency.p95;
  bench.goal(`${list}, compressed (p95)`, compressed.map(p95), GOAL_P95_MS, 'ms');
  bench.goal(`${list}, not compressed (p95)`, whole.map(p95), GOAL_P95_MS, 'ms');
  bench.goalAtLeast(`${list} with an ETag, per core and second`, unchanged.map(perCore), GOAL_PER_CORE);
  return {
    name: 'models',
    title: `GET /v1/models of ${numberText(count, 0)} models`,
    note:
      `The catalog service alone on a core; the list has ${numberText(bytes / 1e6, 1)} MB. Per core: a second ` +
      'over the CPU time of a request. Milliseconds until the last byte; unpacking is not measured.',
    columns: ['Request', 'Requests/s', 'Per core', 'CPU µs', 'p50', 'p95', 'p99'],
    rows: [...found].map(([{ says }, results]) => [
      says,
      spreadOf(results, ({ measured, seconds }) => measured / seconds, 0),
      spreadOf(results, perCore, 0),
      spreadOf(results, cpuUs, 0),
      ...(['p50', 'p95', 'p99'] as const).map((name) =>
        numberText(median(results.map(({ latency }) => latency[name])), 2),
      ),
    ]),
    rounds: Object.fromEntries([...found].map(([{ says }, results]) => [says, results])),
  };
}

const TRAFFIC: Omit<Traffic, 'origin'> = {
  path: '/v1/models',
  method: 'GET',
  headers: {},
  addresses: ADDRESSES,
  order: 'cycle',
  bodies: [''],
  expectStatus: 200,
};

function cpuUs({ cpuMs = Number.NaN, measured }: ClosedLoopResult): number {
  return (cpuMs * 1_000) / Math.max(1, measured);
}

function perCore(result: ClosedLoopResult): number {
  return 1_000_000 / cpuUs(result);
}
