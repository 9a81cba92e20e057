import { z } from 'zod';
import { readRecordings } from './read-recordings.ts';

const message = z.looseObject({ type: z.literal('message'), model: z.string(), usage: z.looseObject({}) });
const event = z.looseObject({ type: z.string() });
const messageStart = z.looseObject({ message: z.looseObject({ model: z.string() }) });

/** A recorded response. */
export interface RecordedAnswer {
  name: string;
  /** The model that it says it is of. */
  model: string;
  /** A whole answer, or the data of each event of a stream. */
  content: { text: string } | { events: readonly string[] };
}

/** Reads the recorded messages of Anthropic. */
export function readRecordedMessages(): RecordedAnswer[] {
  return readRecordings('anthropic').flatMap(({ isStreamed, name, pieces }) => {
    if (isStreamed)
      return splitStream(name, pieces, (data) => typeOf(data) === 'message_stop').map(withModel);
    const [text = ''] = pieces;
    return [{ name, model: message.parse(JSON.parse(text)).model, content: { text } }];
  });
}

function withModel({ events, name }: { name: string; events: string[] }): RecordedAnswer {
  const { model } = messageStart.parse(JSON.parse(events[0] ?? '')).message;
  return { name, model, content: { events } };
}

/** Splits the file of a stream: some files have those of several turns, one after the other. */
export function splitStream(
  file: string,
  lines: readonly string[],
  isEnd: (data: string) => boolean,
): { name: string; events: string[] }[] {
  const streams: string[][] = [[]];
  for (const line of lines) {
    streams.at(-1)?.push(line);
    if (isEnd(line)) streams.push([]);
  }
  return streams
    .filter((events) => events.length > 0)
    .map((events, index) => ({ name: index === 0 ? file : `${file}, answer ${index + 1}`, events }));
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

/** True for one message from its start to its end. A spliced or broken one must never look like that. */
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

/** Reads the events of a stream, each with a name and data. */
export function eventsOf(text: string): { name: string; data: string }[] {
  return text
    .split('\n\n')
    .filter((event) => event !== '')
    .map((event) => {
      const [, name = '', data = ''] = /^event: (.+)\ndata: (.+)$/.exec(event) ?? [];
      return { name, data };
    });
}
