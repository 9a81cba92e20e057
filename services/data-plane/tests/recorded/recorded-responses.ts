import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { z } from 'zod';
import type { RecordedAnswer } from './recorded-answers.ts';

const FOLDER_VARIABLE = 'RECORDED_ANSWERS';
const FOLDERS = ['openai/responses', 'open-responses/responses', 'azure'];
const EVENTS_SUFFIX = '.chunks.txt';
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

/** As `findRecordedAnswers`, of providers that speak Responses. Chats among them are left out. */
export function findRecordedResponses(
  environment: NodeJS.ProcessEnv = process.env,
): { answers: RecordedAnswer[]; missing?: undefined } | { answers: []; missing: string } {
  const root = environment[FOLDER_VARIABLE];
  if (root === undefined || root === '') return { answers: [], missing: `${FOLDER_VARIABLE} is not set` };
  const folders = FOLDERS.map((folder) => join(root, folder)).filter((folder) => existsSync(folder));
  if (folders.length === 0) return { answers: [], missing: `${FOLDER_VARIABLE} has none of Responses` };
  const answers = folders.flatMap((folder) => [
    ...globSync(join(folder, '*.json')).flatMap(wholeAnswers),
    ...globSync(join(folder, `*${EVENTS_SUFFIX}`)).flatMap(streamedAnswers),
  ]);
  return { answers: answers.sort((left, right) => (left.name < right.name ? -1 : 1)) };
}

/** Some files have an error, which is no answer. */
function wholeAnswers(file: string): RecordedAnswer[] {
  const text = readFileSync(file, 'utf8');
  const { data } = recordedResponse.safeParse(JSON.parse(text));
  return data === undefined ? [] : [{ name: basename(file), model: data.model, content: { text } }];
}

/** Some lines are of another API, or no JSON: their files are left out. */
function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** Some files have the answers of several turns, one after the other. */
function streamedAnswers(file: string): RecordedAnswer[] {
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '');
  const answers: string[][] = [[]];
  for (const line of lines) {
    const parsed = recordedEvent.safeParse(jsonOf(line));
    if (!parsed.success) return [];
    answers.at(-1)?.push(line);
    if (ENDS.has(parsed.data.type)) answers.push([]);
  }
  return answers
    .filter((events) => events.length > 0)
    .map((events, index) => ({
      name: index === 0 ? basename(file) : `${basename(file)}, answer ${index + 1}`,
      model: responsesOf({ events })[0]?.model ?? '',
      content: { events },
    }));
}

/** The whole objects of an answer, in order: one, or those of its events. */
export function responsesOf(content: RecordedAnswer['content']): z.infer<typeof recordedResponse>[] {
  if ('text' in content) return [recordedResponse.parse(JSON.parse(content.text))];
  return content.events.flatMap((data) => recordedEvent.parse(JSON.parse(data)).response ?? []);
}

/** What the provider has answered: the items of the last event, or those that were done before it. */
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

/** What an answer costs, reckoned from OpenAI's description of its usage. Picodollars for a token. */
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
