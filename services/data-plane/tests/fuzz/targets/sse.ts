import { isUtf8 } from 'node:buffer';
import { BrokenEventStream, MAX_EVENT_BYTES } from '@model-gateway/dialects';
import fc from 'fast-check';
import { SseParser } from '../../../src/upstream/sse-events.ts';
import { type FuzzTarget, require } from '../fuzz-target.ts';
import { chunkSizes, cutInto, mutatedText } from '../mutate.ts';

const SEEDS = [
  'data: {"a":1}\n\ndata: [DONE]\n\n',
  'event: x\r\ndata: a\r\ndata: b\r\n\r\n: comment\r\n\r\n',
  'id: 1\rdata:c\r\rretry: 5\rdata\r\r',
  '\u00ef\u00bb\u00bfdata: \u00c3\u00a9\n\n',
];
const TOKENS = [
  '\n',
  '\r',
  '\r\n',
  '\n\n',
  'data',
  'data:',
  'data: ',
  ' data:',
  'event: x\n',
  ':',
  ': ',
  '\u00ef\u00bb\u00bf',
  '\u00c3\u00a9',
  '\u00c3',
  '\0',
];

interface Input {
  /** Latin1. */
  stream: string;
  sizes: number[];
}

/** Compares the parser of server-sent events with the algorithm of the standard. */
export const sse: FuzzTarget<Input> = {
  name: 'sse',
  input: fc.record({ stream: mutatedText(SEEDS, TOKENS), sizes: chunkSizes }),
  check({ stream, sizes }) {
    const bytes = Buffer.from(stream, 'latin1');
    const expected = expectedEvents(bytes);
    for (const chunks of [cutInto(bytes, sizes), [bytes], cutInto(bytes, [1])]) {
      const events = parse(chunks);
      require(JSON.stringify(events) === JSON.stringify(expected), `got ${JSON.stringify(events)}`);
    }
  },
};

function parse(chunks: readonly Buffer[]): string[] | 'broken' {
  const parser = new SseParser(MAX_EVENT_BYTES);
  try {
    return chunks.flatMap((chunk) => parser.push(chunk));
  } catch (thrown) {
    if (thrown instanceof BrokenEventStream) return 'broken';
    throw thrown;
  }
}

/** WHATWG HTML, "Interpreting an event stream", but a line that is no UTF-8 breaks the stream. */
function expectedEvents(bytes: Buffer): string[] | 'broken' {
  const text = bytes.toString('latin1').replace(/^\u00ef\u00bb\u00bf/, '');
  const lines = text.split(/\r\n|\n|\r/).slice(0, -1);
  const events: string[] = [];
  let data: string[] = [];
  for (const line of lines) {
    const read = Buffer.from(line, 'latin1');
    if (!isUtf8(read)) return 'broken';
    if (line === '') {
      if (data.length > 0) events.push(data.join('\n'));
      data = [];
      continue;
    }
    const [, field, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(read.toString()) ?? [];
    if (field === 'data') data.push(value);
  }
  return events;
}
