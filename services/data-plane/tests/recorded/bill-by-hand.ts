import { z } from 'zod';
import type { RecordedAnswer } from './recorded-answers.ts';

/**
 * Computes the cost of a recorded response from Anthropic's description of its usage and from the prices
 * below, with nothing of the gateway's own arithmetic.
 */

const turn = z.looseObject({
  model: z.string().optional(),
  input_tokens: z.int().nullish(),
  cache_creation_input_tokens: z.int().nullish(),
  cache_read_input_tokens: z.int().nullish(),
  cache_creation: z.looseObject({ ephemeral_1h_input_tokens: z.int().nullish() }).nullish(),
  output_tokens: z.int().nullish(),
});
const usage = turn.extend({
  iterations: z.array(turn).nullish(),
  server_tool_use: z.looseObject({ web_search_requests: z.int().nullish() }).nullish(),
});
const usageOfStart = z.looseObject({ message: z.looseObject({ usage: z.looseObject({}) }) });
const usageOfDelta = z.looseObject({ type: z.literal('message_delta'), usage: z.looseObject({}) });

type Turn = z.infer<typeof turn>;
export type RecordedUsage = z.infer<typeof usage>;

/** Picodollars for one token. No two prices of any two models are equal. */
export interface HandPrices {
  input: bigint;
  read: bigint;
  write5m: bigint;
  write1h: bigint;
  output: bigint;
}

/** Nano-USD for a search. */
const SEARCH_NANO_USD = 10_000_001n;

export function handPrices(place: number): HandPrices {
  const step = BigInt(place + 1) * 1_003n;
  return {
    input: 3_000_001n + step,
    read: 300_003n + step,
    write5m: 3_750_007n + step,
    write1h: 6_000_009n + step,
    output: 15_000_011n + step,
  };
}

/** Converts prices to the catalog's form, dollars for a million tokens. */
export function catalogPricing(prices: HandPrices) {
  const perMillion = (picodollars: bigint) => decimals(picodollars, 6);
  return {
    input_per_million_usd: perMillion(prices.input),
    cached_input_per_million_usd: perMillion(prices.read),
    cache_write_per_million_usd: perMillion(prices.write5m),
    cache_write_1h_per_million_usd: perMillion(prices.write1h),
    output_per_million_usd: perMillion(prices.output),
    web_search_request_usd: decimals(SEARCH_NANO_USD, 9),
  };
}

/** Converts a count of units, of which 10^`places` are one dollar, to dollars. */
function decimals(count: bigint, places: number): string {
  const text = String(count).padStart(places + 1, '0');
  return `${text.slice(0, -places)}.${text.slice(-places)}`;
}

/** Returns the final usage. In a stream, the last event overrides the first. */
export function finalUsage({ content }: RecordedAnswer): RecordedUsage {
  if ('text' in content) return usage.parse(z.looseObject({ usage }).parse(JSON.parse(content.text)).usage);
  const events = content.events.map((data): unknown => JSON.parse(data));
  const said = events.flatMap((event) => {
    const [start, delta] = [usageOfStart.safeParse(event), usageOfDelta.safeParse(event)];
    if (start.success) return [start.data.message.usage];
    return delta.success ? [delta.data.usage] : [];
  });
  return usage.parse(Object.assign({}, ...said));
}

/** The turns that Anthropic bills. Where it lists them, the figures beside the list repeat some of them. */
export function billedTurns(recorded: RecordedUsage): Turn[] {
  const { iterations } = recorded;
  return iterations === null || iterations === undefined || iterations.length === 0 ? [recorded] : iterations;
}

/** Splits the tokens of one turn so that each is counted once. */
export function tokensOf(one: Turn) {
  const written = one.cache_creation_input_tokens ?? 0;
  const write1h = one.cache_creation?.ephemeral_1h_input_tokens ?? 0;
  return {
    fresh: one.input_tokens ?? 0,
    read: one.cache_read_input_tokens ?? 0,
    write5m: written - write1h,
    write1h,
    output: one.output_tokens ?? 0,
  };
}

/** Nano-USD, rounded up once. @param pricesOf the model; undefined: the one that was asked for */
export function billByHand(
  recorded: RecordedUsage,
  pricesOf: (model: string | undefined) => HandPrices,
): bigint {
  let picodollars = BigInt(recorded.server_tool_use?.web_search_requests ?? 0) * SEARCH_NANO_USD * 1_000n;
  for (const one of billedTurns(recorded)) {
    const { fresh, read, write5m, write1h, output } = tokensOf(one);
    const prices = pricesOf(one.model);
    picodollars +=
      BigInt(fresh) * prices.input +
      BigInt(read) * prices.read +
      BigInt(write5m) * prices.write5m +
      BigInt(write1h) * prices.write1h +
      BigInt(output) * prices.output;
  }
  return (picodollars + 999n) / 1_000n;
}

/** All models that have done something for an answer. */
export function modelsOf(answer: RecordedAnswer): string[] {
  return [answer.model, ...billedTurns(finalUsage(answer)).flatMap(({ model }) => model ?? [])];
}
