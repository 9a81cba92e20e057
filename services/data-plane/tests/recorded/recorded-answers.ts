import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { z } from 'zod';

const FOLDER_VARIABLE = 'RECORDED_ANSWERS';
const EVENTS_SUFFIX = '.chunks.txt';

const message = z.looseObject({ type: z.literal('message'), model: z.string(), usage: z.looseObject({}) });
const event = z.looseObject({ type: z.string() });
const messageStart = z.looseObject({ message: z.looseObject({ model: z.string() }) });

/** An answer as Anthropic really gave it. */
export interface RecordedAnswer {
  name: string;
  /** The model that it says it is of. */
  model: string;
  /** A whole answer, or the data of each event of a stream. */
  content: { text: string } | { events: readonly string[] };
}

/**
 * The recorded answers of Anthropic in the folder `anthropic` of the one that RECORDED_ANSWERS names:
 * `*.json` is a whole answer, `*.chunks.txt` has the data of one event in each line.
 * @returns `missing`: why there are none
 */
export function findRecordedAnswers(
  environment: NodeJS.ProcessEnv = process.env,
): { answers: RecordedAnswer[]; missing?: undefined } | { answers: []; missing: string } {
  const root = environment[FOLDER_VARIABLE];
  if (root === undefined || root === '') return { answers: [], missing: `${FOLDER_VARIABLE} is not set` };
  const folder = join(root, 'anthropic');
  if (!existsSync(folder)) {
    return { answers: [], missing: `${FOLDER_VARIABLE} has no folder "anthropic"` };
  }
  const whole = globSync(join(folder, '*.json')).map(wholeAnswer);
  const streamed = globSync(join(folder, `*${EVENTS_SUFFIX}`)).flatMap(streamedAnswers);
  return { answers: [...whole, ...streamed].sort((left, right) => (left.name < right.name ? -1 : 1)) };
}

function wholeAnswer(file: string): RecordedAnswer {
  const text = readFileSync(file, 'utf8');
  return { name: basename(file), model: message.parse(JSON.parse(text)).model, content: { text } };
}

/** Some files hold the answers of several turns, one after the other. */
function streamedAnswers(file: string): RecordedAnswer[] {
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '');
  const answers: string[][] = [[]];
  for (const line of lines) {
    answers.at(-1)?.push(line);
    if (typeOf(line) === 'message_stop') answers.push([]);
  }
  return answers
    .filter((events) => events.length > 0)
    .map((events, index) => ({
      name: index === 0 ? basename(file) : `${basename(file)}, answer ${index + 1}`,
      model: messageStart.parse(JSON.parse(events[0] ?? '')).message.model,
      content: { events },
    }));
}

/** Files with the answers of several turns, each taken for one stream: a provider that does not stop. */
export function runOnAnswers(answers: readonly RecordedAnswer[]): RecordedAnswer[] {
  const files = Map.groupBy(answers, ({ name }) => name.split(', answer ')[0] ?? '');
  return [...files].flatMap(([name, [first, ...others]]) => {
    if (first === undefined || others.length === 0) return [];
    const events = [first, ...others].flatMap(({ content }) => ('events' in content ? content.events : []));
    return [{ ...first, name: `${name}, as one stream`, content: { events } }];
  });
}

export function typeOf(data: string): string {
  return event.parse(JSON.parse(data)).type;
}

/** Whether it is one message from its start to its end. A spliced or broken one must never look like that. */
export function isOneMessage({ content }: RecordedAnswer): boolean {
  if (!('events' in content)) return true;
  const types = content.events.map(typeOf);
  const starts = types.filter((type) => type === 'message_start').length;
  return (
    starts === 1 &&
    types[0] === 'message_start' &&
    types.at(-1) === 'message_stop' &&
    !types.includes('error')
  );
}
