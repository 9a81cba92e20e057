import { type Bench, failureText } from '../bench.ts';
import type { PartResult } from '../results/part-result.ts';
import { spreadOf, spreadText } from '../results/statistics.ts';
import { type Target, trafficTo } from '../targets/target.ts';
import { compareStreams, takeSentStreams } from './compare-streams.ts';
import { differences, interleave, roundsJson } from './rounds.ts';

/** The time to the first chunk has a goal for this number of streams. */
const GOAL_STREAMS = 500;
const GOAL_FIRST_RATIO = 1.5;

/** Measures the time to the first token, and the gaps between tokens. */
export async function measureStreams(bench: Bench): Promise<PartResult> {
  const { rounds, counts, chunks, intervalMs } = bench.plan.streams;
  const rows: string[][] = [];
  const all: Record<string, unknown> = {};
  for (const streams of counts) {
    await takeSentStreams(bench.providerUrl);
    const results = await interleave(bench.targetsBeyondCost, rounds, async (target, round) => {
      bench.say(`${streams} streams, round ${round + 1}: ${target.name}`);
      const plan = { requestBytes: 1_000, answerBytes: 0, chunks, intervalMs };
      const result = await bench.streams(target, trafficTo(target, plan), {
        streams,
        // Spreads starts over the life of a stream, so that starts and ends mix with chunks.
        rampMs: chunks * intervalMs,
        chunks,
        intervalMs,
        prefix: `${streams}-${round}`,
      });
      const different = await compareStreams(bench, target, result);
      const { received: _, ...figures } = result;
      return { ...figures, different };
    });
    const direct = results.get(bench.direct) ?? [];
    for (const [target, found] of results) {
      const added = (pick: (result: (typeof found)[number]) => number) =>
        target === bench.direct ? '–' : spreadText(differences(found, direct, pick), 2);
      rows.push([
        `${streams}`,
        target.name,
        spreadOf(found, ({ firstChunk }) => firstChunk.p50, 2),
        added(({ firstChunk }) => firstChunk.p50),
        added(({ firstChunk }) => firstChunk.p99),
        spreadOf(found, ({ gap }) => gap.p99, 2),
        added(({ gap }) => gap.p99),
        added(({ transit }) => transit.p50),
        added(({ transit }) => transit.p99),
        target.pid === undefined
          ? '–'
          : spreadOf(found, ({ cpuMs = Number.NaN, chunks: seen }) => (cpuMs * 1_000) / Math.max(1, seen), 0),
        spreadOf(found, ({ different }) => different, 0),
        failureText(found),
      ]);
    }
    if (streams === GOAL_STREAMS) {
      const added = (target: Target) =>
        differences(results.get(target) ?? [], direct, ({ firstChunk }) => firstChunk.p50);
      bench.ratioGoal(`First chunk of ${streams} streams, added p50, against the bare proxy's,`, {
        rounds: added(bench.gatewayTarget),
        against: added(bench.bare),
        atMost: GOAL_FIRST_RATIO,
        unit: 'ms',
      });
    }
    all[streams] = roundsJson(results);
  }
  return {
    name: 'streams',
    title: 'Streams',
    note:
      `So many streams at once, a chunk each ${intervalMs} ms, ${chunks} chunks each; milliseconds. ` +
      "Gap: between the chunks of a stream. Chunk: from the provider's write to the arrival, by the " +
      'clock that both share. Added: over direct, in the same round. CPU: of everything a stream costs, ' +
      "over its chunks. Changed: streams whose bytes are not the provider's (a peer may mean to change " +
      'them).',
    columns: [
      'Streams',
      'Target',
      'First p50',
      'Added first p50',
      'Added first p99',
      'Gap p99',
      'Added gap p99',
      'Added chunk p50',
      'Added chunk p99',
      'CPU µs per chunk',
      'Changed',
      'Failures',
    ],
    rows,
    rounds: all,
  };
}
