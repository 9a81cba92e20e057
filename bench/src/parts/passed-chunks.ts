import type { Bench } from '../bench.ts';
import type { StreamsResult } from '../load/job.ts';
import type { PartResult } from '../results/part-result.ts';
import { spreadOf } from '../results/statistics.ts';
import { type Target, trafficTo } from '../targets/target.ts';
import { compareStreams, takeSentStreams } from './compare-streams.ts';
import { interleave, roundsJson } from './rounds.ts';

type Figures = Omit<StreamsResult, 'received'>;

const GOAL_RATIO = 1.3;
/** This long after the last start, starts no longer cost anything. */
const CALM_MS = 500;

const cpuUsPerChunk = ({ cpuMs = Number.NaN, measuredChunks }: Figures) =>
  (cpuMs * 1_000) / Math.max(1, measuredChunks);

/** Measures the cost of a chunk alone: all streams are open, and none ends. */
export async function measurePassedChunks(bench: Bench): Promise<PartResult> {
  const { rounds, streams, intervalMs, seconds } = bench.plan.passedChunks;
  const targets = bench.targetsBeyondCost.filter(({ pid }) => pid !== undefined);
  const results = await interleave(targets, rounds, async (target, round) => {
    bench.say(`${streams} streams, a chunk each ${intervalMs} ms, round ${round + 1}: ${target.name}`);
    return await passChunks(bench, target, `chunks-${round}`);
  });
  const perSecond = 1_000 / intervalMs;
  const costsOf = (target: Target) => (results.get(target) ?? []).map(cpuUsPerChunk);
  bench.ratioGoal(`CPU of a chunk passed through at ${perSecond} a second each, against the bare proxy,`, {
    rounds: costsOf(bench.gatewayTarget),
    against: costsOf(bench.bare),
    atMost: GOAL_RATIO,
    unit: 'µs',
  });
  return {
    name: 'passed-chunks',
    title: 'Chunks passed through',
    note:
      `${streams} streams of Chat Completions at once, a chunk each ${intervalMs} ms, for ${seconds} s in which ` +
      "none begins or ends. CPU: of the target. Chunk: from the provider's write to the arrival; milliseconds.",
    columns: ['Target', 'CPU µs per chunk', 'Chunk p50', 'Chunk p99'],
    rows: [...results].map(([{ name }, found]) => [
      name,
      spreadOf(found, cpuUsPerChunk, 1),
      spreadOf(found, ({ transit }) => transit.p50, 2),
      spreadOf(found, ({ transit }) => transit.p99, 2),
    ]),
    rounds: roundsJson(results),
  };
}

async function passChunks(bench: Bench, target: Target, prefix: string): Promise<Figures> {
  const { streams, intervalMs, rampMs, seconds } = bench.plan.passedChunks;
  await takeSentStreams(bench.providerUrl);
  const measureFromMs = rampMs + CALM_MS;
  const measureToMs = measureFromMs + seconds * 1_000;
  // The first stream ends a little later than the measurement, in case the machine is late.
  const chunks = Math.ceil((measureToMs + CALM_MS) / intervalMs);
  const plan = { requestBytes: 1_000, answerBytes: 0, chunks, intervalMs };
  const job = { streams, rampMs, chunks, intervalMs, measureFromMs, measureToMs, prefix };
  const result = await bench.streams(target, trafficTo(target, plan), job);
  await compareStreams(bench, target, result);
  const { received: _, ...figures } = result;
  return figures;
}
