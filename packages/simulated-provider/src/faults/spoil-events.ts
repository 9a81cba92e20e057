import { DONE, eventText, type SseEvent } from '../answers/sse-event.ts';
import type { Fault } from './fault-schema.ts';

/** What is sent with one write. */
export interface Piece {
  content: string | Buffer;
  /** Whether it completes an event, and so counts for `after_events`. */
  isEvent: boolean;
  /** The client gets time to read what was sent before. */
  afterPause?: true;
}

/** `bad_chunk`, `error_event` and `huge_line` come after so many events: the role and the first token. */
const FAULT_AFTER_EVENTS = 2;
const HUGE_LINE_BYTES = 100 * 1024 * 1024;
const HUGE_LINE_PIECE = Buffer.alloc(64 * 1024, 'x');

export const BAD_CHUNK = '{not json';
const ERROR_EVENT = {
  error: {
    message: 'The server had an error while processing your request.',
    type: 'server_error',
    param: null,
    code: null,
  },
};

/** Writes events as text, with the faults of `sse` and `rubbish` worked in. */
export async function* spoilEvents(events: AsyncIterable<SseEvent>, fault: Fault): AsyncGenerator<Piece> {
  const newline = fault.sse === 'crlf' ? '\r\n' : '\n';
  let sent = 0;
  for await (const event of events) {
    if (sent === FAULT_AFTER_EVENTS) {
      yield* faultInTheMiddle(fault);
      if (fault.sse === 'error_event') return;
    }
    if (fault.sse === 'comments') yield { content: `: simulated comment ${sent}\n\n:\n`, isEvent: false };
    yield* piecesOf(event, fault, newline);
    sent += 1;
  }
}

function* piecesOf(event: SseEvent, { sse }: Fault, newline: string): Generator<Piece> {
  const text = eventText(event, newline);
  const isDone = event.data === DONE;
  // The last line is ended, but not the event.
  if (isDone && sse === 'no_blank_line') yield { content: text.slice(0, -newline.length), isEvent: true };
  else yield { content: text, isEvent: true };
  if (isDone && sse === 'done_twice') yield { content: text, isEvent: true };
}

function* faultInTheMiddle({ rubbish, sse }: Fault): Generator<Piece> {
  if (rubbish === 'bad_chunk') yield eventInTheMiddle(BAD_CHUNK);
  if (sse === 'error_event') yield eventInTheMiddle(JSON.stringify(ERROR_EVENT));
  if (sse === 'huge_line') yield* hugeLine();
}

function eventInTheMiddle(data: string): Piece {
  return { content: eventText({ data }, '\n'), isEvent: true, afterPause: true };
}

/** The line is valid JSON for a reader that reads all of it. */
function* hugeLine(): Generator<Piece> {
  const start = '{"choices":[{"index":0,"delta":{"content":"';
  yield { content: `data: ${start}`, isEvent: false, afterPause: true };
  for (let sent = 0; sent < HUGE_LINE_BYTES; sent += HUGE_LINE_PIECE.length) {
    yield { content: HUGE_LINE_PIECE, isEvent: false };
  }
  yield { content: '"},"finish_reason":null}]}\n\n', isEvent: true };
}
