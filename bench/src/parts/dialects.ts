import type { Bench } from '../bench.ts';
import type { StreamsResult, Traffic } from '../load/job.ts';
import type { PartResult } from '../results/part-result.ts';
import { spreadOf, spreadText } from '../results/statistics.ts';
import { trafficTo } from '../targets/target.ts';
import { STREAMED_ANSWERS } from '../wire/streamed-answers.ts';
import { type StreamedRequest, streamedRequest } from '../wire/streamed-request.ts';
import { compareStreams, takeSentStreams } from './compare-streams.ts';

/** The API of a caller, and the model of a provider with another API or the same. */
interface Pair {
  name: string;
  path: StreamedRequest['path'];
  model: string;
  /** True if every byte is the provider's. The gateway changes the ids of responses. */
  passes: boolean;
  /** The maximum cost of a chunk, in chunks of Chat Completions on both sides. */
  atMost: number | undefined;
}

const CALLERS = {
  Chat: '/v1/chat/completions',
  Messages: '/v1/messages',
  Responses: '/v1/responses',
} as const;
const TRANSLATED = { passes: false, atMost: 2.5 };
const { chat, messages, responses, gemini, cohere, converse, claude } = STREAMED_ANSWERS;
const PROVIDERS = {
  Chat: chat,
  Messages: messages,
  Responses: responses,
  Gemini: gemini,
  Cohere: cohere,
  Converse: converse,
  'Claude at Bedrock': claude,
};
const CHAT_PASSED = {
  name: 'Chat, passed',
  path: CALLERS.Chat,
  model: chat.model.id,
  passes: true,
  atMost: undefined,
} as const;
const PAIRS: readonly Pair[] = [
  CHAT_PASSED,
  { name: 'Messages, passed', path: CALLERS.Messages, model: messages.model.id, passes: true, atMost: 1.3 },
  {
    name: 'Responses, passed',
    path: CALLERS.Responses,
    model: responses.model.id,
    passes: false,
    atMost: 1.3,
  },
  ...Object.entries(CALLERS).flatMap(([caller, path]) =>
    Object.entries(PROVIDERS)
      .filter(([provider]) => provider !== caller)
      .map(([provider, { model }]) => {
        return { name: `${caller} → ${provider}`, path, model: model.id, ...TRANSLATED };
      }),
  ),
];

const cpuUsPerChunk = ({ chunks, cpuMs = Number.NaN }: StreamsResult) =>
  (cpuMs * 1_000) / Math.max(1, chunks);

/** Measures the cost of a chunk for each pair of APIs, beside Chat Completions on both sides. */
export async function measureDialects(bench: Bench): Promise<PartResult> {
  const { rounds, streams, chunks } = bench.plan.dialects;
  const found = new Map<Pair, StreamsResult[]>(PAIRS.map((pair) => [pair, []]));
  let arrived = 0;
  // The first round lets V8 compile the code of each pair.
  for (let round = 0; round <= rounds; round++) {
    for (const pair of PAIRS) {
      bench.say(`dialects, ${round === 0 ? 'warm-up' : `round ${round}`}: ${pair.name}`);
      const result = await streamPair(bench, pair, `${PAIRS.indexOf(pair)}-${round}`);
      arrived += result.chunks;
      if (round > 0) found.get(pair)?.push(result);
    }
  }
  const sent = (rounds + 1) * PAIRS.length * streams * chunks;
  bench.assert('every chunk arrives, in whichever API', arrived === sent, `${arrived} of ${sent}`);
  const costs = (pair: Pair) => (found.get(pair) ?? []).map(cpuUsPerChunk);
  const base = costs(CHAT_PASSED);
  const rows = PAIRS.map((pair) => {
    const results = found.get(pair) ?? [];
    const ratios = costs(pair).map((cost, round) => cost / (base[round] ?? Number.NaN));
    if (pair.atMost !== undefined)
      bench.goal(`CPU of a chunk, ${pair.name}:`, ratios, pair.atMost, '× Chat, passed');
    const transit = (pick: (latency: StreamsResult['transit']) => number) =>
      spreadOf(results, (result) => pick(result.transit), 2);
    return [
      pair.name,
      spreadText(costs(pair), 1),
      pair === CHAT_PASSED ? '1' : spreadText(ratios, 2),
      transit(({ p50 }) => p50),
      transit(({ p99 }) => p99),
    ];
  });
  return {
    name: 'dialects',
    title: 'Dialects',
    note:
      `${streams} streams of ${chunks} chunks at once through the gateway: the API of the caller, and how the ` +
      "provider's answer reaches it. CPU: of everything a stream costs, over its chunks. Chunk: from the " +
      "provider's write to the arrival; milliseconds.",
    columns: ['Caller and provider', 'CPU µs per chunk', '× Chat, passed', 'Chunk p50', 'Chunk p99'],
    rows,
    rounds: Object.fromEntries(
      [...found].map(([{ name }, results]) => [name, results.map(({ received: _, ...figures }) => figures)]),
    ),
  };
}

async function streamPair(bench: Bench, pair: Pair, prefix: string): Promise<StreamsResult> {
  const { streams, chunks, intervalMs } = bench.plan.dialects;
  const { gatewayTarget: target } = bench;
  await takeSentStreams(bench.providerUrl);
  const plan = { requestBytes: 1_000, answerBytes: 0, chunks, intervalMs };
  const traffic: Traffic = {
    ...trafficTo(target, plan),
    path: pair.path,
    bodies: [streamedRequest({ ...plan, model: pair.model, path: pair.path })],
  };
  const job = { streams, rampMs: chunks * intervalMs * 0.1, chunks, intervalMs, prefix: `d${prefix}` };
  const result = await bench.streams(target, traffic, job);
  if (pair.passes) await compareStreams(bench, target, result);
  return result;
}
