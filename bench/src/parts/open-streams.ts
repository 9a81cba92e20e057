import { execFileSync } from 'node:child_process';
import type { Bench } from '../bench.ts';
import { familyOf, residentBytesOf } from '../processes/process-usage.ts';
import type { PartResult } from '../results/part-result.ts';
import { numberText } from '../results/statistics.ts';
import { type Target, trafficTo } from '../targets/target.ts';
import { compareStreams, takeSentStreams } from './compare-streams.ts';

const INTERVAL_MS = 1_000;
const SAMPLE_MS = 250;
/** Each stream needs a socket to the client and one to the provider. */
const FILES_PER_STREAM = 2;
const OTHER_FILES = 500;
const GOAL_MB = 600;
const GOAL_LATE_MS = 50;

/** Measures memory and late chunks with thousands of streams in one process, each with a chunk a second. */
export async function measureOpenStreams(bench: Bench, idleBytes: number): Promise<PartResult> {
  const { rampMs, seconds } = bench.plan.openStreams;
  const streams = affordable(bench);
  const rows: string[][] = [];
  const all: Record<string, unknown> = {};
  for (const target of [bench.direct, bench.gatewayTarget]) {
    bench.say(`${streams} open streams: ${target.name}`);
    await takeSentStreams(bench.providerUrl);
    const { result, mostBytes } = await holdOpen(bench, target, { streams, rampMs, seconds });
    await compareStreams(bench, target, result);
    const { received: _, ...figures } = result;
    const isGateway = target === bench.gatewayTarget;
    rows.push([
      target.name,
      numberText(result.mostOpen, 0),
      isGateway ? numberText(idleBytes / 2 ** 20, 0) : '–',
      isGateway ? numberText(mostBytes / 2 ** 20, 0) : '–',
      numberText(result.transit.p50, 2),
      numberText(result.transit.p99, 2),
      numberText(result.transit.p999, 2),
      numberText(result.transit.max, 0),
    ]);
    all[target.name] = { ...figures, mostBytes };
    if (!isGateway) continue;
    bench.assert(
      `${streams} streams are open at once`,
      result.mostOpen === streams,
      `${result.mostOpen} were open`,
    );
    bench.goal(`RSS with ${streams} open streams`, [mostBytes / 2 ** 20], GOAL_MB, 'MB');
    bench.goal(`Chunks of ${streams} open streams late (p99) by`, [result.transit.p99], GOAL_LATE_MS, 'ms');
  }
  return {
    name: 'open-streams',
    title: `${numberText(streams, 0)} open streams`,
    note:
      'One chunk a second each. RSS: of the data plane, right after its start and at most while they ' +
      "were open. Late: from the provider's write to the arrival, while all were open; milliseconds.",
    columns: [
      'Target',
      'Open',
      'RSS idle MB',
      'RSS MB',
      'Late p50',
      'Late p99',
      'Late p99.9',
      'Late at most',
    ],
    rows,
    rounds: all,
  };
}

async function holdOpen(
  bench: Bench,
  target: Target,
  { streams, rampMs, seconds }: { streams: number; rampMs: number; seconds: number },
) {
  // A slow machine gets half as much time again to open them.
  const openMs = 1.5 * rampMs;
  const chunks = Math.ceil(openMs / INTERVAL_MS) + seconds;
  const plan = { requestBytes: 1_000, answerBytes: 0, chunks, intervalMs: INTERVAL_MS };
  const family = target.pid === undefined ? [] : familyOf(target.pid);
  let mostBytes = 0;
  const sampling = setInterval(() => {
    mostBytes = Math.max(mostBytes, residentBytesOf(family));
  }, SAMPLE_MS);
  try {
    const result = await bench.streams(target, trafficTo(target, plan), {
      streams,
      rampMs,
      chunks,
      intervalMs: INTERVAL_MS,
      measureFromMs: openMs,
      // The first stream ends now.
      measureToMs: (chunks - 1) * INTERVAL_MS,
      prefix: `open-${target.name}`,
    });
    return { result, mostBytes };
  } finally {
    clearInterval(sampling);
  }
}

/** Returns the number of streams that a process may open files for. */
function affordable(bench: Bench): number {
  const wanted = bench.plan.openStreams.count;
  const text = execFileSync('sh', ['-c', 'ulimit -n'], { encoding: 'utf8' }).trim();
  const files = text === 'unlimited' ? Number.POSITIVE_INFINITY : Number(text);
  const possible = Math.floor((files - OTHER_FILES) / FILES_PER_STREAM);
  if (possible >= wanted) return wanted;
  bench.say(`a process may open ${text} files here (ulimit -n): ${possible} streams instead of ${wanted}`);
  return possible;
}
