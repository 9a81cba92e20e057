import { join } from 'node:path';
import { type Bench, failureText } from '../bench.ts';
import { warmKeys } from '../gateway/warm-keys.ts';
import type { OpenLoopResult } from '../load/job.ts';
import { waitedForCoreMsOf } from '../processes/process-usage.ts';
import { ROOT } from '../processes/program.ts';
import type { PartResult } from '../results/part-result.ts';
import { numberText, percentile } from '../results/statistics.ts';
import { anotherTarget } from '../targets/own-targets.ts';
import { trafficTo } from '../targets/target.ts';
import { SMALL } from '../wire/request-body.ts';
import {
  type GatewayStamps,
  type GatewayTrace,
  gatewayStamps,
  gatewayTrace,
  STAMPED,
  TRACE,
} from '../wire/stamps.ts';
import { compile } from './compile.ts';

const TRACE_MS = 20_000;
/** The share of requests that counts as slowest. */
const SLOWEST = 0.01;

interface Moments extends GatewayStamps {
  due: number;
  sent: number;
  ended: number;
}

/** The phases of a request, in order. Each ends when the next begins. */
const PHASES: readonly (readonly [says: string, whose: string, from: keyof Moments, to: keyof Moments])[] = [
  ['late sending, or no free connection', 'load generator', 'due', 'sent'],
  ['sending, socket, until its headers are parsed', 'between', 'sent', 'arrived'],
  ['body, key, checks', 'gateway', 'arrived', 'redisSent'],
  ['Redis, until its reply is read', 'between', 'redisSent', 'redisDone'],
  ['money, request to the provider', 'gateway', 'redisDone', 'upstreamSent'],
  ['socket to the provider', 'between', 'upstreamSent', 'providerGot'],
  ['provider', 'provider', 'providerGot', 'providerSent'],
  ['socket from the provider', 'between', 'providerSent', 'upstreamHead'],
  ['response', 'gateway', 'upstreamHead', 'finished'],
  ['socket, until the load generator has read it', 'between', 'finished', 'ended'],
];

/** Measures at a fixed rate how long each phase of a request takes, and where the slowest requests wait. */
export async function measurePhases(bench: Bench): Promise<PartResult> {
  const { gateway, gatewayTarget, plan } = bench;
  const file = join(ROOT, 'bench/src/programs/trace-requests.ts');
  const service = await gateway.startAnother({ name: 'traced', nodeArgs: [`--import=${file}`] });
  const takeTrace = async () => {
    service.program.child.send(TRACE);
    return gatewayTrace.parse(await service.program.firstMessage(TRACE_MS));
  };
  // The first message reports the start.
  await service.program.firstMessage(TRACE_MS);
  const target = anotherTarget(gatewayTarget, service, { name: 'gateway, traced', says: '' });
  await warmKeys(bench.load, target, plan.keys);
  await compile(bench, [target]);
  await takeTrace();
  const processes = new Map([...gateway.processes(), ['data plane', service.program.pid]]);
  const waitedBefore = [...processes.values()].map(waitedForCoreMsOf);
  bench.say('phases ...');
  const traffic = trafficTo(target, { ...SMALL, stream: STAMPED });
  const job = { ...plan.phases, connections: plan.connections, stamped: true };
  const found = await bench.openLoop(target, traffic, job);
  const seconds = (plan.phases.warmUpMs + plan.phases.measureMs) / 1_000;
  const waits = [...processes].map(([name, pid], index) => {
    const ms = waitedForCoreMsOf(pid) - (waitedBefore[index] ?? 0);
    return `${name} ${numberText(ms / seconds, 0)}`;
  });
  const trace = await takeTrace();
  await gateway.settled();
  await gateway.stopAnother(service);
  const requests = momentsOf(found, trace);
  bench.assert(
    'phases: every measured request is traced',
    requests.length === found.measured,
    `${requests.length}`,
  );
  return {
    name: 'phases',
    title: `Phases of a request at ${plan.phases.perSecond}/s`,
    note:
      `Milliseconds of ${requests.length} requests, by the clock that all processes share, in a data plane that ` +
      'records them (programs/trace-requests.ts). "Between": the request is in the kernel, or waits for the ' +
      'core, other requests or the garbage collection of its receiver. ' +
      `Slowest: mean of the slowest ${SLOWEST * 100} %. ${pausesText(trace, seconds)} Timers of the data plane ` +
      `were late by ${numberText(trace.loopDelay.p50, 1)} ms (p50), ${numberText(trace.loopDelay.p99, 1)} ` +
      `(p99), ${numberText(trace.loopDelay.max, 1)} at most. Milliseconds per second in which threads waited ` +
      `for a core: ${waits.join(', ')}. Failures: ${failureText([found])}.`,
    columns: ['Phase', 'Whose', 'p50', 'p99', 'Slowest'],
    rows: rowsOf(requests, trace),
    rounds: { found: { ...found, times: undefined }, loopDelay: trace.loopDelay, waits },
  };
}

function momentsOf({ times }: OpenLoopResult, { requests }: GatewayTrace): Moments[] {
  return times.flatMap(([number, due, sent, ended]) => {
    const stamps = gatewayStamps.safeParse(requests[number]);
    return stamps.success ? { ...stamps.data, due, sent, ended } : [];
  });
}

function rowsOf(requests: readonly Moments[], trace: GatewayTrace): string[][] {
  const bySlowness = [...requests].sort((one, two) => two.ended - two.due - (one.ended - one.due));
  const slowest = bySlowness.slice(0, Math.ceil(requests.length * SLOWEST));
  const row = (says: string, whose: string, usOf: (moments: Moments) => number) => [
    says,
    whose,
    ...[0.5, 0.99].map((share) => msText(percentile(requests.map(usOf), share))),
    msText(slowest.reduce((sum, each) => sum + usOf(each), 0) / slowest.length),
  ];
  const ofWhom = (wanted: string) => (moments: Moments) =>
    PHASES.reduce(
      (sum, [, whose, from, to]) => sum + (whose === wanted ? moments[to] - moments[from] : 0),
      0,
    );
  return [
    ...PHASES.map(([says, whose, from, to]) => row(says, whose, (moments) => moments[to] - moments[from])),
    row('the whole request', 'all', ({ due, ended }) => ended - due),
    ...['load generator', 'gateway', 'provider', 'between'].map((whose) =>
      row('all its phases', whose, ofWhom(whose)),
    ),
    row('pauses of garbage collection meanwhile', 'data plane', ({ sent, finished }) =>
      trace.pauses.reduce(
        (sum, [from, to]) => sum + Math.max(0, Math.min(finished, to) - Math.max(sent, from)),
        0,
      ),
    ),
  ];
}

function pausesText({ pauses }: GatewayTrace, seconds: number): string {
  const all = pauses.map(([from, to]) => (to - from) / 1_000);
  const sum = all.reduce((total, ms) => total + ms, 0);
  return (
    `Garbage collection of the data plane: ${numberText(all.length / seconds, 1)} pauses per second, ` +
    `${numberText(sum / seconds, 1)} ms per second, the longest ${numberText(Math.max(0, ...all), 1)} ms.`
  );
}

function msText(us: number): string {
  return numberText(us / 1_000, 2);
}
