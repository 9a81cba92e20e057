import { type Bench, failureText } from '../bench.ts';
import { familyOf, residentBytesOf } from '../processes/process-usage.ts';
import type { PartResult } from '../results/part-result.ts';
import { median, numberText, spreadOf, spreadText } from '../results/statistics.ts';
import { type Target, trafficTo } from '../targets/target.ts';
import { SMALL } from '../wire/request-body.ts';
import { compile } from './compile.ts';
import { differences, interleave, roundsJson } from './rounds.ts';

const PORTKEY_FACTOR = 8;
const BARE_FACTOR = 1.6;
const SAMPLE_MS = 200;

/** Measures the cost of a request, and the requests per core. */
export async function measureClosedLoop(bench: Bench): Promise<PartResult> {
  const { rounds, warmUpMs, measureMs } = bench.plan.closedLoop;
  const { connections } = bench.plan;
  await compile(bench, bench.targetsOfCost);
  const results = await interleave(bench.targetsOfCost, rounds, async (target, round) => {
    bench.say(`closed loop, round ${round + 1}: ${target.name}`);
    const family = target.pid === undefined ? [] : familyOf(target.pid);
    let residentBytes = residentBytesOf(family);
    const sampling = setInterval(() => {
      residentBytes = Math.max(residentBytes, residentBytesOf(family));
    }, SAMPLE_MS);
    const result = await bench.closedLoop(target, trafficTo(target, SMALL), {
      connections,
      warmUpMs,
      measureMs,
    });
    clearInterval(sampling);
    const { answers, bytes } = result;
    if (target.isOurs && bytes !== answers * SMALL.answerBytes)
      bench.assert(`${target.name}: JSON answers are whole`, false, `${bytes} bytes in ${answers}`);
    return {
      ...result,
      perSecond: result.measured / result.seconds,
      cpuUs: result.cpuMs === undefined ? Number.NaN : (result.cpuMs * 1_000) / Math.max(1, result.measured),
      busy: (result.cpuMs ?? Number.NaN) / (result.seconds * 1_000),
      residentBytes,
    };
  });
  for (const [target, all] of results)
    bench.capacity.set(target.name, median(all.map(({ perSecond }) => perSecond)));

  const cpuOf = (name: string) => {
    const all = [...results].find(([target]) => target.name === name)?.[1] ?? [];
    const values = all.map(({ cpuUs }) => cpuUs).filter(Number.isFinite);
    return values.length === 0 ? undefined : median(values);
  };
  const bareRounds = results.get(bench.bare) ?? [];
  const rows = [...results].map(([target, all]) => {
    const hasCpu = target.pid !== undefined;
    const ratios = all.map(({ cpuUs }, round) => cpuUs / (bareRounds[round]?.cpuUs ?? Number.NaN));
    return [
      target.name,
      spreadOf(all, ({ perSecond }) => perSecond, 0),
      hasCpu ? spreadOf(all, ({ cpuUs }) => cpuUs, 0) : '–',
      hasCpu ? spreadOf(all, ({ cpuUs }) => 1e6 / cpuUs, 0) : '–',
      hasCpu ? spreadText(ratios, 2) : '–',
      hasCpu ? spreadOf(all, ({ busy }) => busy * 100, 0) : '–',
      spreadOf(all, ({ latency }) => latency.p50, 1),
      spreadOf(all, ({ latency }) => latency.p99, 1),
      hasCpu ? spreadOf(all, ({ residentBytes }) => residentBytes / 2 ** 20, 0) : '–',
      failureText(all),
    ];
  });
  addGoals(
    bench,
    cpuOf,
    differences(results.get(bench.gatewayTarget) ?? [], bareRounds, ({ cpuUs }) => cpuUs),
  );
  const { before } = bench;
  if (before !== undefined) {
    const cpuUs = (target: Target) => (results.get(target) ?? []).map((round) => round.cpuUs);
    bench.ratioGoal('CPU per request, against the other copy,', {
      rounds: cpuUs(bench.gatewayTarget),
      against: cpuUs(before),
      atMost: 1,
      unit: 'µs',
    });
  }
  return {
    name: 'closed-loop',
    title: 'Closed loop',
    note:
      `${connections} connections, each with one request under way; 1 kB there and back, JSON. Requests ` +
      'per core: a million over the CPU time (user and system, of the process and its children) of a ' +
      'request. A core that is not near 100 % busy was waiting for the rest of the machine.',
    columns: [
      'Target',
      'Requests/s',
      'CPU µs per request',
      'Requests/s per core',
      '× bare proxy',
      'Core busy %',
      'p50 ms',
      'p99 ms',
      'RSS MB',
      'Failures',
    ],
    rows,
    rounds: roundsJson(results),
  };
}

function addGoals(
  bench: Bench,
  cpuOf: (name: string) => number | undefined,
  overBare: readonly number[],
): void {
  const gateway = cpuOf(bench.gatewayTarget.name);
  const bare = cpuOf(bench.bare.name);
  if (gateway === undefined || bare === undefined) return;
  bench.goals.push({
    says: `CPU per request at most ${BARE_FACTOR} × the bare proxy`,
    isReached: gateway / bare <= BARE_FACTOR,
    found:
      `${(gateway / bare).toFixed(2)} × (${numberText(gateway, 0)} to ${numberText(bare, 0)} µs; ` +
      `+${spreadText(overBare, 0)} µs)`,
  });
  for (const { name } of bench.peers) {
    const peer = cpuOf(name);
    if (peer === undefined) continue;
    const factor = name === 'Portkey' ? PORTKEY_FACTOR : 1;
    bench.goals.push({
      says:
        factor === 1
          ? `More requests per core than ${name}`
          : `At least ${factor} × the requests per core of ${name}`,
      isReached: factor === 1 ? peer > gateway : peer / gateway >= factor,
      found: `${(peer / gateway).toFixed(1)} ×`,
    });
  }
}
