import type { Bench } from '../bench.ts';
import type { PartResult } from '../results/part-result.ts';
import { spreadText } from '../results/statistics.ts';
import { trafficTo } from '../targets/target.ts';
import { interleave, roundsJson } from './rounds.ts';

const SMALL = { requestBytes: 1_000, answerBytes: 1_000, chunks: 0, intervalMs: 0 };
const LARGE = { ...SMALL, requestBytes: 400_000 };
const SMALL_PER_SECOND = 200;
const LARGE_PER_SECOND = 10;
const GOAL_MS = 5;

/** Measures how large requests slow down small ones beside them: all share one event loop. */
export async function measureMixedBodies(bench: Bench): Promise<PartResult> {
  const { rounds, warmUpMs, measureMs } = bench.plan.bodies;
  const results = await interleave(bench.targetsBeyondCost, rounds, async (target, round) => {
    bench.say(`small beside 400 kB, round ${round + 1}: ${target.name}`);
    const times = { warmUpMs, measureMs };
    const small = { ...times, perSecond: SMALL_PER_SECOND, connections: 16 };
    const alone = await bench.openLoop(target, trafficTo(target, SMALL), small);
    const [beside, large] = await Promise.all([
      bench.openLoop(target, trafficTo(target, SMALL), small),
      bench.openLoop(target, trafficTo(target, LARGE), {
        ...times,
        perSecond: LARGE_PER_SECOND,
        connections: 4,
      }),
    ]);
    return { alone: alone.latency, beside: beside.latency, large: large.latency };
  });
  const rows = [...results].map(([target, found]) => [
    target.name,
    spreadText(
      found.map(({ alone }) => alone.p99),
      2,
    ),
    spreadText(
      found.map(({ beside }) => beside.p99),
      2,
    ),
    spreadText(
      found.map(({ alone, beside }) => beside.p99 - alone.p99),
      2,
    ),
    spreadText(
      found.map(({ alone, beside }) => beside.p50 - alone.p50),
      2,
    ),
    spreadText(
      found.map(({ large }) => large.p50),
      2,
    ),
  ]);
  const delays = (results.get(bench.gatewayTarget) ?? []).map(({ alone, beside }) => beside.p99 - alone.p99);
  bench.goal('A 400 kB request delays small ones (p99) by', delays, GOAL_MS, 'ms');
  return {
    name: 'mixed',
    title: 'Small requests beside large ones',
    note:
      `${SMALL_PER_SECOND} requests of 1 kB a second, alone and beside ${LARGE_PER_SECOND} of 400 kB; ` +
      'milliseconds. The generator and the provider are disturbed by the large ones, too: that is what ' +
      'direct shows.',
    columns: ['Target', 'Alone p99', 'Beside p99', 'Delay p99', 'Delay p50', 'Large p50'],
    rows,
    rounds: roundsJson(results),
  };
}
