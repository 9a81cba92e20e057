import { join } from 'node:path';
import type { Environment } from '@model-gateway/service-kit';
import { freePort } from '@model-gateway/test-kit/free-port';
import type { Bench } from '../bench.ts';
import { Gateway, type GatewayOptions } from '../gateway/gateway.ts';
import type { OpenLoopResult } from '../load/job.ts';
import { Program, ROOT } from '../processes/program.ts';
import type { PartResult } from '../results/part-result.ts';
import { spreadOf, spreadText } from '../results/statistics.ts';
import { gatewayTarget } from '../targets/own-targets.ts';
import { type Target, trafficTo } from '../targets/target.ts';
import { SMALL } from '../wire/request-body.ts';

const GOAL_READY_MS = 500;
const GOAL_NPM_START_MS = 2_500;
const GOAL_FIRST_RATIO = 3;
const NPM_START_MS = 300_000;
/** The last line of `npm start` if everything works. */
const STARTED = 'Stop it: Ctrl-C';

/**
 * Starts data planes in turn and sends requests to each as soon as it is ready; then starts the whole
 * gateway, with a data directory from an earlier start.
 * @param allCores for `npm start`, which may use all cores
 */
export async function measureStart(
  bench: Bench,
  start: Omit<GatewayOptions, 'name' | 'size'>,
  allCores: string | undefined,
): Promise<PartResult> {
  const { rounds } = bench.plan.start;
  const { keys, accounts } = bench.plan;
  const size = { keys, accounts, models: 5, raiseLimits: true };
  const readyMs: number[] = [];
  const first: OpenLoopResult[] = [];
  const next: OpenLoopResult[] = [];
  {
    await using gateway = await Gateway.start({ ...start, name: 'start', size });
    for (let round = 0; round < rounds; round++) {
      bench.say(`start, round ${round + 1}: a data plane`);
      readyMs.push(await gateway.startDataPlane());
      const target = gatewayTarget(gateway, keys);
      first.push(await ask(bench, target, bench.plan.start.first));
      next.push(await ask(bench, target, bench.plan.start.next));
      await gateway.settled();
    }
  }
  const npmStartMs = await secondStarts(bench, start, allCores);
  const failures = [...first, ...next].flatMap((result) => Object.keys(result.failures));
  bench.assert('a data plane that is ready answers every request', failures.length === 0, failures.join());
  bench.goal('A data plane is ready after', readyMs, GOAL_READY_MS, 'ms');
  bench.ratioGoal(
    `Median latency of the first ${bench.plan.start.first} requests of a new data plane, against the next,`,
    {
      rounds: first.map(({ latency }) => latency.p50),
      against: next.map(({ latency }) => latency.p50),
      atMost: GOAL_FIRST_RATIO,
      unit: 'ms',
    },
  );
  bench.goal('npm start is ready, the second time, after', npmStartMs, GOAL_NPM_START_MS, 'ms');
  const latencies = (results: readonly OpenLoopResult[]) =>
    (['p50', 'p95', 'p99', 'max'] as const).map((name) =>
      spreadOf(results, ({ latency }) => latency[name], 1),
    );
  return {
    name: 'start',
    title: 'Start',
    note:
      `Milliseconds. A new data plane with a compile cache, on its own core, until /health/ready; then paid ` +
      `requests at ${bench.plan.start.perSecond}/s, each with another key that it has never seen.`,
    columns: ['What', 'Ready', 'p50', 'p95', 'p99', 'At most'],
    rows: [
      ['data plane', spreadText(readyMs, 0), '–', '–', '–', '–'],
      [`first ${bench.plan.start.first} requests`, '–', ...latencies(first)],
      [`next ${bench.plan.start.next} requests`, '–', ...latencies(next)],
      ['npm start, second time', spreadText(npmStartMs, 0), '–', '–', '–', '–'],
    ],
    rounds: { readyMs, first, next, npmStartMs },
  };
}

function ask(bench: Bench, target: Target, requests: number): Promise<OpenLoopResult> {
  const { perSecond } = bench.plan.start;
  return bench.load.openLoop({
    // Random, because the next requests would otherwise begin with the keys of the first ones.
    traffic: { ...trafficTo(target, SMALL), order: 'random' },
    connections: bench.plan.connections,
    perSecond,
    warmUpMs: 0,
    measureMs: (1_000 * requests) / perSecond,
  });
}

/** @returns the milliseconds of each start with an existing data directory */
async function secondStarts(
  bench: Bench,
  { environment, workDir }: Omit<GatewayOptions, 'name' | 'size'>,
  cores: string | undefined,
): Promise<number[]> {
  const dataDir = join(workDir, 'npm-start');
  const { PATH, HOME } = environment;
  const times: number[] = [];
  for (let round = 0; round <= bench.plan.start.rounds; round++) {
    bench.say(`start, round ${round}: npm start`);
    times.push(await npmStart({ PATH, HOME }, dataDir, `npm-start-${round}`, workDir, cores));
  }
  return times.slice(1);
}

async function npmStart(
  environment: Environment,
  dataDir: string,
  name: string,
  logDir: string,
  cores: string | undefined,
): Promise<number> {
  const ports = ['--port', `${await freePort()}`, '--dashboard-port', `${await freePort()}`];
  const startedAtMs = performance.now();
  await using program = await Program.start({
    name,
    command: 'npm',
    args: ['start', '--silent', '--prefix', ROOT, '--', '--data-dir', dataDir, ...ports],
    environment,
    logDir,
    cores,
  });
  await program.writes(STARTED, NPM_START_MS);
  return performance.now() - startedAtMs;
}
