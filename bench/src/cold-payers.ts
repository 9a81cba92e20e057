import { readFile, writeFile } from 'node:fs/promises';
import { failureText } from './bench.ts';
import type { Gateway } from './gateway/gateway.ts';
import { warmKeys } from './gateway/warm-keys.ts';
import type { LoadResult, OpenLoopResult } from './load/job.ts';
import type { LoadGenerator } from './load/load-generator.ts';
import { requestsIn } from './load/schedule.ts';
import { differences } from './parts/rounds.ts';
import type { Plan } from './plan.ts';
import type { Goal, PartResult } from './results/part-result.ts';
import { median, spreadText } from './results/statistics.ts';
import { gatewayTarget } from './targets/own-targets.ts';
import { type Target, trafficTo } from './targets/target.ts';

const SMALL = { requestBytes: 1_000, answerBytes: 1_000, chunks: 0, intervalMs: 0 };
const ADDED_P99_MS = 5;

interface ColdPayersOptions {
  plan: Plan;
  load: LoadGenerator;
  direct: Target;
  say: (line: string) => void;
}

type Measured = OpenLoopResult & { callsPerRequest: number };

/**
 * Measures how long the first request of a payer takes, of whom the data plane has no money yet, beside the
 * same request sent once more and without a gateway.
 * @param gateway with as many payers as there are keys, or with fewer: the keys take turns
 */
export async function measureColdPayers(
  { plan, load, direct, say }: ColdPayersOptions,
  gateway: Gateway | undefined,
): Promise<{ part: PartResult; goals: Goal[]; answers: number }> {
  if (gateway === undefined) throw new Error('there is no gateway');
  const { rounds, rates, compile, measureMs } = plan.coldPayers;
  const [, payers] = plan.growth.sizes.teams;
  say('the first requests of payers: a data plane that has money of none ...');
  await gateway.settled();
  await gateway.startDataPlane();
  const keys = (await readFile(gateway.keysFile, 'utf8')).trim().split('\n');
  const target = gatewayTarget(gateway, keys.length);
  await warmKeys(load, target, keys.length);
  /** The next payers' keys: the owner of key n is payer n. */
  const unused = keys.slice(0, payers);
  const take = async (count: number): Promise<Target> => {
    const keysFile = `${gateway.keysFile}-${unused.length}`;
    if (unused.length < count) throw new Error('there are too few payers');
    await writeFile(keysFile, unused.splice(0, count).join('\n'), { mode: 0o600 });
    return { ...target, keysFile };
  };
  const all: LoadResult[] = [];
  const compiled = await take(Math.min(compile, Math.floor(payers / 10)));
  all.push(
    await load.closedLoop({
      traffic: trafficTo(compiled, SMALL),
      connections: plan.connections,
      warmUpMs: 0,
      measureMs: 30_000,
      requests: compile,
    }),
  );
  const rows: string[][] = [];
  const goals: Goal[] = [];
  const json: Record<string, unknown> = {};
  for (const perSecond of rates) {
    const found: Record<'cold' | 'warm' | 'direct', Measured[]> = { cold: [], warm: [], direct: [] };
    for (let round = 0; round < rounds; round++) {
      const part = await take(requestsIn(measureMs, perSecond));
      // The same payers twice: the second time they have money.
      for (const [name, to] of [
        ['direct', direct],
        ['cold', part],
        ['warm', part],
      ] as const) {
        say(`${perSecond} payers/s, round ${round + 1}: ${name}`);
        await gateway.settled();
        const before = await gateway.controlPlaneCalls();
        const result = await load.openLoop({
          traffic: trafficTo(to, SMALL),
          connections: plan.connections,
          perSecond,
          warmUpMs: 0,
          measureMs,
        });
        const calls = (await gateway.controlPlaneCalls()) - before;
        found[name].push({ ...result, callsPerRequest: calls / Math.max(1, result.answers) });
      }
    }
    all.push(...found.cold, ...found.warm);
    for (const [name, says] of [
      ['direct', 'direct'],
      ['cold', 'first request of a payer'],
      ['warm', 'its second request'],
    ] as const) {
      rows.push([
        `${perSecond}/s`,
        says,
        ...cells(found[name], name === 'direct' ? undefined : found.direct),
      ]);
    }
    const added = median(differences(found.cold, found.direct, ({ latency }) => latency.p99));
    goals.push({
      says: `The first request of a payer takes at most ${ADDED_P99_MS} ms longer than direct, ${perSecond} payers a second, p99`,
      isReached: added <= ADDED_P99_MS,
      found: `${added.toFixed(2)} ms`,
    });
    json[perSecond] = found;
  }
  return { part: part(rows, json), goals, answers: all.reduce((sum, { answers }) => sum + answers, 0) };
}

function cells(found: readonly Measured[], direct: readonly Measured[] | undefined): string[] {
  const percentiles = ['p50', 'p99', 'p999'] as const;
  return [
    ...percentiles.map((name) =>
      spreadText(
        found.map(({ latency }) => latency[name]),
        2,
      ),
    ),
    ...(['p50', 'p99'] as const).map((name) =>
      direct === undefined
        ? '–'
        : spreadText(
            differences(found, direct, ({ latency }) => latency[name]),
            2,
          ),
    ),
    direct === undefined
      ? '–'
      : spreadText(
          found.map(({ callsPerRequest }) => callsPerRequest),
          3,
        ),
    failureText(found),
  ];
}

function part(rows: readonly string[][], rounds: unknown): PartResult {
  return {
    name: 'cold-payers',
    title: 'First requests of payers',
    note:
      'Open loop, 1 kB there and back, milliseconds from when a request should have been sent; each request ' +
      'is the first one of its payer at a data plane that knows its key. Added: over direct, in the same ' +
      'round. gRPC calls: unary calls that the control plane answered, per request.',
    columns: ['Rate', 'Request', 'p50', 'p99', 'p99.9', 'Added p50', 'Added p99', 'gRPC calls', 'Failures'],
    rows,
    rounds,
  };
}
