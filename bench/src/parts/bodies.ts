import { type Bench, failureText } from '../bench.ts';
import type { Latency, LoadResult } from '../load/job.ts';
import type { BodyKind } from '../plan.ts';
import type { PartResult } from '../results/part-result.ts';
import { spreadText } from '../results/statistics.ts';
import { type Target, trafficTo } from '../targets/target.ts';
import { compareStreams, takeSentStreams } from './compare-streams.ts';
import { differences, interleave, roundsJson } from './rounds.ts';

const SMALL_BYTES = 1_000;
const LARGE_BYTES = 400_000;
const GOAL_MS = 4;
const STREAM_CHUNKS = 10;
const STREAM_INTERVAL_MS = 20;
const STREAMS_AT_ONCE = 8;

/** Measures bodies of several sizes: of requests, of answers, and of requests for a stream. */
export async function measureBodies(bench: Bench): Promise<PartResult> {
  const { rounds, kilobytes, kinds } = bench.plan.bodies;
  const rows: string[][] = [];
  const all: Record<string, unknown> = {};
  for (const size of kilobytes) {
    for (const kind of kinds) {
      const results = await interleave(bench.targetsBeyondCost, rounds, async (target, round) => {
        bench.say(`${size} kB ${kind}, round ${round + 1}: ${target.name}`);
        const bytes = size * 1_000;
        return kind === 'request, SSE'
          ? await streamsAfter(bench, target, bytes, round)
          : await requests(bench, target, kind, bytes);
      });
      const direct = results.get(bench.direct) ?? [];
      for (const [target, found] of results) {
        const added = (pick: (result: Found) => number) =>
          target === bench.direct ? '–' : spreadText(differences(found, direct, pick), 2);
        rows.push([
          `${size} kB ${kind}`,
          target.name,
          spreadText(
            found.map(({ waited }) => waited.p50),
            2,
          ),
          spreadText(
            found.map(({ waited }) => waited.p99),
            2,
          ),
          added(({ waited }) => waited.p50),
          added(({ waited }) => waited.p99),
          failureText(found),
        ]);
      }
      if (size * 1_000 === LARGE_BYTES && kind !== 'request, SSE') {
        const added = differences(results.get(bench.gatewayTarget) ?? [], direct, ({ waited }) => waited.p50);
        bench.goal(`Added p50 of a 400 kB ${kind}`, added, GOAL_MS, 'ms');
      }
      all[`${size} kB ${kind}`] = roundsJson(results);
    }
  }
  return {
    name: 'bodies',
    title: 'Sizes of bodies',
    note:
      'Open loop, 50/s up to 20 kB, 20/s above; milliseconds to the end of a JSON answer, or to the ' +
      'first chunk of a stream. The other direction carries 1 kB.',
    columns: ['Body', 'Target', 'p50', 'p99', 'Added p50', 'Added p99', 'Failures'],
    rows,
    rounds: all,
  };
}

type Found = LoadResult & { waited: Latency };

async function requests(bench: Bench, target: Target, kind: BodyKind, bytes: number): Promise<Found> {
  const { warmUpMs, measureMs } = bench.plan.bodies;
  const [requestBytes, answerBytes] = kind === 'request' ? [bytes, SMALL_BYTES] : [SMALL_BYTES, bytes];
  const traffic = trafficTo(target, { requestBytes, answerBytes, chunks: 0, intervalMs: 0 });
  const perSecond = bytes > 100_000 ? 20 : 50;
  const result = await bench.openLoop(target, traffic, { perSecond, connections: 8, warmUpMs, measureMs });
  if (target.isOurs && result.bytes !== result.answers * answerBytes) {
    bench.assert(`${target.name}: answers of ${answerBytes} bytes are whole`, false, `${result.bytes} bytes`);
  }
  return { ...result, waited: result.latency };
}

async function streamsAfter(
  bench: Bench,
  target: Target,
  requestBytes: number,
  round: number,
): Promise<Found> {
  await takeSentStreams(bench.providerUrl);
  const plan = { requestBytes, answerBytes: 0, chunks: STREAM_CHUNKS, intervalMs: STREAM_INTERVAL_MS };
  const lifeMs = STREAM_CHUNKS * STREAM_INTERVAL_MS;
  const result = await bench.streams(target, trafficTo(target, plan), {
    streams: STREAMS_AT_ONCE,
    turns: Math.max(1, Math.round(bench.plan.bodies.measureMs / lifeMs)),
    rampMs: lifeMs,
    chunks: STREAM_CHUNKS,
    intervalMs: STREAM_INTERVAL_MS,
    prefix: `body-${requestBytes}-${round}`,
  });
  await compareStreams(bench, target, result);
  const { received: _, ...figures } = result;
  return { ...figures, waited: result.firstChunk };
}
