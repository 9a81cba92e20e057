import { z } from 'zod';
import { billByHand, finalUsage, type HandPrices, type RecordedUsage } from '../recorded/bill-by-hand.ts';
import type { RecordedCall } from './recording-proxy.ts';

/** Nano-USD for one answer of a provider, from what the provider itself says that it has counted. */
export function billOfCall(call: RecordedCall, prices: HandPrices): bigint {
  return billByHand(countedIn(call), () => prices);
}

/** Usage as the provider reports it, each token in one place only. */
export function countedIn({ answer, path }: RecordedCall): RecordedUsage {
  const pieces = piecesOf(answer);
  const { pathname } = new URL(path, 'http://provider');
  const counter = COUNTERS.find(([ending]) => ending.test(pathname));
  if (counter === undefined) throw new Error(`nobody knows how ${pathname} counts`);
  return counter[1](pieces);
}

type Counter = (pieces: readonly string[]) => RecordedUsage;

/** How each API counts, by how its path ends. */
const COUNTERS: readonly (readonly [RegExp, Counter])[] = [
  [/\/messages$/, inMessages],
  [/\/invoke(-with-response-stream)?$/, inMessages],
  [/:(streamR|r)awPredict$/, inMessages],
  [/\/responses$/, inResponses],
  [/\/chat\/completions$/, inCompletions],
  [/:(streamG|g)enerateContent$/, inGenerateContent],
  [/\/converse(-stream)?$/, inConverse],
  [/\/v2\/chat$/, inCohere],
];

const EVENT_STREAM_HEAD_BYTES = 12;
const CHECKSUM_BYTES = 4;
const wrapped = z.strictObject({ bytes: z.base64(), p: z.string().optional() });

/** The whole answer, or the data of each of its events: of text, or of Amazon's binary messages. */
function piecesOf(answer: Buffer): string[] {
  const text = answer.toString();
  if (text.startsWith('{')) return [text];
  if (!text.startsWith('\0')) return [...text.matchAll(/^data: (\{.*)$/gm)].map(([, data = '']) => data);
  const pieces: string[] = [];
  for (let at = 0; at < answer.length; at += answer.readUInt32BE(at)) {
    const payload = answer.subarray(
      at + EVENT_STREAM_HEAD_BYTES + answer.readUInt32BE(at + CHECKSUM_BYTES),
      at + answer.readUInt32BE(at) - CHECKSUM_BYTES,
    );
    const { data } = wrapped.safeParse(JSON.parse(payload.toString()));
    pieces.push(data === undefined ? payload.toString() : Buffer.from(data.bytes, 'base64').toString());
  }
  return pieces;
}

function inMessages(pieces: readonly string[]): RecordedUsage {
  const [first = '{}'] = pieces;
  const content = 'usage' in object.parse(JSON.parse(first)) ? { text: first } : { events: [...pieces] };
  return finalUsage({ name: '', model: '', content });
}

const object = z.looseObject({});
const count = z.int().default(0);

const responseUsage = z.looseObject({
  usage: z.looseObject({
    input_tokens: z.int(),
    output_tokens: z.int(),
    input_tokens_details: z.looseObject({ cached_tokens: count }),
  }),
});

function inResponses(pieces: readonly string[]): RecordedUsage {
  const inEvent = z.looseObject({ response: responseUsage }).transform(({ response }) => response);
  const { input_tokens, input_tokens_details, output_tokens } = lastOf(
    z.union([inEvent, responseUsage]),
    pieces,
  ).usage;
  return withCached(input_tokens, input_tokens_details.cached_tokens, output_tokens);
}

const completionUsage = z.looseObject({
  usage: z.looseObject({
    prompt_tokens: z.int(),
    completion_tokens: z.int(),
    prompt_tokens_details: z.looseObject({ cached_tokens: count }),
  }),
});

function inCompletions(pieces: readonly string[]): RecordedUsage {
  const { completion_tokens, prompt_tokens, prompt_tokens_details } = lastOf(completionUsage, pieces).usage;
  return withCached(prompt_tokens, prompt_tokens_details.cached_tokens, completion_tokens);
}

const generated = z.looseObject({
  usageMetadata: z.looseObject({
    promptTokenCount: z.int(),
    cachedContentTokenCount: count,
    candidatesTokenCount: count,
    thoughtsTokenCount: count,
  }),
});

/** Gemini counts what it has thought beside what it has written. */
function inGenerateContent(pieces: readonly string[]): RecordedUsage {
  const { cachedContentTokenCount, candidatesTokenCount, promptTokenCount, thoughtsTokenCount } = lastOf(
    generated,
    pieces,
  ).usageMetadata;
  return withCached(promptTokenCount, cachedContentTokenCount, candidatesTokenCount + thoughtsTokenCount);
}

const converseUsage = z.looseObject({
  usage: z.looseObject({
    inputTokens: z.int(),
    outputTokens: z.int(),
    cacheReadInputTokens: count,
    cacheWriteInputTokens: count,
  }),
});

function inConverse(pieces: readonly string[]): RecordedUsage {
  const { cacheReadInputTokens, cacheWriteInputTokens, inputTokens, outputTokens } = lastOf(
    converseUsage,
    pieces,
  ).usage;
  return {
    input_tokens: inputTokens,
    cache_read_input_tokens: cacheReadInputTokens,
    cache_creation_input_tokens: cacheWriteInputTokens,
    output_tokens: outputTokens,
  };
}

const cohereUsage = z.looseObject({
  usage: z.looseObject({
    billed_units: z.looseObject({ input_tokens: z.int(), output_tokens: z.int() }),
  }),
});

function inCohere(pieces: readonly string[]): RecordedUsage {
  const inEvent = z.looseObject({ delta: cohereUsage }).transform(({ delta }) => delta);
  return lastOf(z.union([inEvent, cohereUsage]), pieces).usage.billed_units;
}

function withCached(input: number, cached: number, output: number): RecordedUsage {
  return { input_tokens: input - cached, cache_read_input_tokens: cached, output_tokens: output };
}

/** The last piece of this shape. */
function lastOf<Shape>(shape: z.ZodType<Shape>, pieces: readonly string[]): Shape {
  const found = pieces.map((data) => shape.safeParse(JSON.parse(data))).findLast(({ success }) => success);
  if (found?.data === undefined) throw new Error('the provider counted nothing');
  return found.data;
}
