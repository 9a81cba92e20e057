import { type Bench, failureText } from '../bench.ts';
import type { OpenLoopResult } from '../load/job.ts';
import { yieldToOthers } from '../processes/yield-to-others.ts';
import type { PartResult } from '../results/part-result.ts';
import { median, spreadOf, spreadText } from '../results/statistics.ts';
import { trafficTo } from '../targets/target.ts';
import { SMALL } from '../wire/request-body.ts';
import { compile } from './compile.ts';
import { differences, interleave, type Rounds, roundsJson } from './rounds.ts';

const MAX_TIMES_BARE = 3;

/**
 * Measures the slowest requests at a fixed rate, twice: as usual, and with Postgres running only when nothing
 * else wants its core, as if it had another machine.
 */
export async function measureTails(bench: Bench): Promise<PartResult> {
  const { rounds, ...job } = bench.plan.tails;
  const targets = [bench.direct, bench.bare, bench.gatewayTarget];
  const measure = (how: string) =>
    interleave(targets, rounds, async (target, round) => {
      bench.say(`tails, ${how}, round ${round + 1}: ${target.name}`);
      const { connections } = bench.plan;
      return await bench.openLoop(target, trafficTo(target, SMALL), { ...job, connections });
    });
  await compile(bench, targets);
  const shared = await measure('Postgres shares a core');
  timesBareGoal(bench, shared);
  const rows = rowsOf(bench, 'shares a core', shared);
  const rest: Record<string, unknown> = {};
  const postgres = bench.gateway.processes().get('Postgres');
  const stopYielding = postgres === undefined ? undefined : yieldToOthers(postgres);
  if (stopYielding === undefined) bench.say('there is no chrt: Postgres cannot be made to yield');
  else {
    const yielding = await measure('Postgres yields').finally(stopYielding);
    rows.push(...rowsOf(bench, 'yields to all others', yielding));
    rest.yielding = roundsJson(yielding);
  }
  return {
    name: 'tails',
    title: `Tails at ${job.perSecond}/s`,
    note:
      'Open loop, 1 kB there and back; milliseconds from the time at which a request should have been sent. ' +
      'Added: over direct, in the same round. Where Postgres yields, it runs only when nothing else wants ' +
      'its core, so the tails that remain are those of the gateway itself.',
    columns: ['Postgres', 'Target', 'p50', 'p99', 'p99.9', 'Added p99', 'Send delay', 'Failures'],
    rows,
    rounds: { shared: roundsJson(shared), ...rest },
  };
}

function addedP99(bench: Bench, found: Rounds<OpenLoopResult>, target: Bench['bare']): number[] {
  const of = (each: typeof target) => found.get(each) ?? [];
  return differences(of(target), of(bench.direct), ({ latency }) => latency.p99);
}

/** Compares medians, because a round in which the bare proxy adds nothing has no ratio. */
function timesBareGoal(bench: Bench, found: Rounds<OpenLoopResult>): void {
  const [gateway, bare] = [bench.gatewayTarget, bench.bare].map((target) =>
    median(addedP99(bench, found, target)),
  );
  const times = (gateway ?? Number.NaN) / (bare ?? Number.NaN);
  bench.goal(
    `Added p99 at ${bench.plan.tails.perSecond}/s, of the bare proxy's`,
    [times],
    MAX_TIMES_BARE,
    '×',
  );
}

function rowsOf(bench: Bench, postgres: string, found: Rounds<OpenLoopResult>): string[][] {
  return [...found].map(([target, all]) => [
    postgres,
    target.name,
    ...(['p50', 'p99', 'p999'] as const).map((name) => spreadOf(all, ({ latency }) => latency[name], 2)),
    target === bench.direct ? '–' : spreadText(addedP99(bench, found, target), 2),
    spreadOf(all, ({ sendDelay }) => sendDelay.p99, 2),
    failureText(all),
  ]);
}
