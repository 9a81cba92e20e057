import { z } from 'zod';
import { readRecordings } from './read-recordings.ts';
import { type RecordedAnswer, splitStream } from './recorded-answers.ts';

const FOLDERS = ['openai/responses', 'open-responses/responses', 'azure'];
const ENDS = new Set(['response.completed', 'response.incomplete', 'response.failed']);

const usage = z.looseObject({
  input_tokens: z.int(),
  output_tokens: z.int(),
  total_tokens: z.int().nullish(),
  input_tokens_details: z.looseObject({ cached_tokens: z.int().nullish() }).nullish(),
});
const item = z.looseObject({ type: z.string() });
const recordedResponse = z.looseObject({
  object: z.literal('response'),
  id: z.string(),
  model: z.string(),
  output: z.array(item),
  usage: usage.nullish(),
});
const recordedEvent = z.looseObject({ type: z.string(), response: recordedResponse.optional() });
const doneItem = z.looseObject({ type: z.literal('response.output_item.done'), item });

export type RecordedItem = z.infer<typeof item>;

/**
 * Reads the recorded responses of providers that speak Responses. Chats and errors among them are left out.
 */
export function readRecordedResponses(): RecordedAnswer[] {
  return FOLDERS.flatMap(readRecordings).flatMap(({ isStreamed, name, pieces }) => {
    if (isStreamed) return streamedAnswers(name, pieces);
    const [text = ''] = pieces;
    const { data } = recordedResponse.safeParse(JSON.parse(text));
    return data === undefined ? [] : [{ name, model: data.model, content: { text } }];
  });
}

function streamedAnswers(file: string, lines: readonly string[]): RecordedAnswer[] {
  if (!lines.every((line) => recordedEvent.safeParse(jsonOf(line)).success)) return [];
  const isEnd = (line: string) => ENDS.has(recordedEvent.parse(JSON.parse(line)).type);
  return splitStream(file, lines, isEnd).map(({ events, name }) => ({
    name,
    model: responsesOf({ events })[0]?.model ?? '',
    content: { events },
  }));
}

/** Some files have lines that are no JSON. */
function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** The whole objects of an answer, in order: one, or those of its events. */
export function responsesOf(content: RecordedAnswer['content']): z.infer<typeof recordedResponse>[] {
  if ('text' in content) return [recordedResponse.parse(JSON.parse(content.text))];
  return content.events.flatMap((data) => recordedEvent.parse(JSON.parse(data)).response ?? []);
}

/** Returns the output: the items of the last event, or those that were done before it. */
export function outputOf({ content }: RecordedAnswer): RecordedItem[] {
  const { output = [] } = responsesOf(content).at(-1) ?? {};
  if ('text' in content || output.length > 0) return output;
  return content.events.flatMap((data) => doneItem.safeParse(JSON.parse(data)).data?.item ?? []);
}

export function hasFailed({ content }: RecordedAnswer): boolean {
  return responsesOf(content).at(-1)?.status === 'failed';
}

const SEARCHES = new Set(['web_search_call']);
const TOOLS = new Set(['file_search_call', 'code_interpreter_call']);
const inContainer = z.looseObject({
  type: z.literal('shell_call'),
  environment: z.looseObject({ type: z.string().startsWith('container') }),
});

/** Computes the cost of a response from OpenAI's description of its usage. Picodollars for a token. */
export function responseByHand(
  answer: RecordedAnswer,
  prices: { input: bigint; read: bigint; output: bigint; searchNanoUsd: bigint; toolNanoUsd: bigint },
): bigint {
  const used = responsesOf(answer.content).at(-1)?.usage;
  if (used === null || used === undefined) return 0n;
  const cached = used.input_tokens_details?.cached_tokens ?? 0;
  const output = Math.max(used.output_tokens, (used.total_tokens ?? 0) - used.input_tokens);
  const items = outputOf(answer);
  const searches = items.filter(({ type }) => SEARCHES.has(type)).length;
  const calls = items.filter((one) => TOOLS.has(one.type) || inContainer.safeParse(one).success).length;
  const picodollars =
    BigInt(used.input_tokens - cached) * prices.input +
    BigInt(cached) * prices.read +
    BigInt(output) * prices.output +
    (BigInt(searches) * prices.searchNanoUsd + BigInt(calls) * prices.toolNanoUsd) * 1_000n;
  return (picodollars + 999n) / 1_000n;
}
