import { type Bench, failureText } from '../bench.ts';
import type { OpenLoopResult } from '../load/job.ts';
import type { PartResult } from '../results/part-result.ts';
import { spreadOf, spreadText } from '../results/statistics.ts';
import { trafficTo } from '../targets/target.ts';
import { SMALL } from '../wire/request-body.ts';
import { differences, interleave, roundsJson } from './rounds.ts';

/** Above this share of its highest rate, a measurement shows the queue of the target. */
const HIGHEST_LOAD = 0.85;
/** Goals for the median, by rate. */
const GOALS_MS = new Map([
  [100, 0.5],
  [1_000, 0.8],
]);

/** Measures the latency that a gateway adds at fixed rates. */
export async function measureAddedLatency(bench: Bench): Promise<PartResult> {
  const { rounds, rates, warmUpMs, measureMs, bare } = bench.plan.latency;
  const { connections } = bench.plan;
  const targets = bench.targets.filter((target) => bare || target !== bench.bare);
  const rows: string[][] = [];
  const all: Record<string, unknown> = {};
  for (const perSecond of rates) {
    const canHold = (name: string) =>
      perSecond <= HIGHEST_LOAD * (bench.capacity.get(name) ?? Number.POSITIVE_INFINITY);
    const results = await interleave(targets, rounds, async (target, round) => {
      // Our own targets are measured at every rate.
      if (!target.isOurs && !canHold(target.name)) return undefined;
      bench.say(`${perSecond}/s, round ${round + 1}: ${target.name}`);
      const job = { perSecond, connections, warmUpMs, measureMs };
      return await bench.openLoop(target, trafficTo(target, SMALL), job);
    });
    const direct = results.get(bench.direct) ?? [];
    for (const [target, found] of results) {
      const others = target === bench.direct ? undefined : direct;
      rows.push([`${perSecond}/s`, target.name, ...cells(found, others)]);
    }
    const gateway = results.get(bench.gatewayTarget) ?? [];
    const atMostMs = GOALS_MS.get(perSecond);
    if (atMostMs !== undefined) {
      const added = differences(gateway, direct, ({ latency }) => latency.p50);
      bench.goal(`Added p50 at ${perSecond}/s`, added, atMostMs, 'ms');
    }
    all[perSecond] = roundsJson(results);
  }
  return {
    name: 'latency',
    title: 'Latency at fixed rates',
    note:
      'Open loop, 1 kB there and back, JSON; milliseconds from the time at which a request should have ' +
      'been sent. Added: over direct, in the same round. Send delay: how late the generator itself was ' +
      '(99th percentile); it is part of every figure. A rate above 85 % of what a peer does in the ' +
      'closed loop is left out for it.',
    columns: [
      'Rate',
      'Target',
      'p50',
      'p99',
      'p99.9',
      'Added p50',
      'Added p99',
      'Added p99.9',
      'Send delay',
      'Failures',
    ],
    rows,
    rounds: all,
  };
}

function cells(found: readonly OpenLoopResult[], direct: readonly OpenLoopResult[] | undefined): string[] {
  if (found.length === 0) return Array.from({ length: 7 }, () => '–').concat('cannot hold this rate');
  const percentiles = ['p50', 'p99', 'p999'] as const;
  return [
    ...percentiles.map((name) => spreadOf(found, ({ latency }) => latency[name], 2)),
    ...percentiles.map((name) => {
      const added = differences(found, direct ?? [], ({ latency }) => latency[name]);
      return spreadText(added, 2);
    }),
    spreadOf(found, ({ sendDelay }) => sendDelay.p99, 2),
    failureText(found),
  ];
}
