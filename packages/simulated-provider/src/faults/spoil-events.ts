import { eventText, type SseEvent } from '../answers/sse-event.ts';
import type { StreamShape } from '../protocols/protocol.ts';
import type { Fault } from './fault-schema.ts';

/** Bytes of one write. */
export interface Piece extends Pick<SseEvent, 'pace'> {
  content: string | Buffer;
  /** True if it completes an event, and so counts for `after_events`. */
  isEvent: boolean;
  /** The client gets time to read what was sent before. */
  afterPause?: true;
}

const HUGE_LINE_BYTES = 100 * 1024 * 1024;
const HUGE_LINE_PIECE = Buffer.alloc(64 * 1024, 'x');

export const BAD_CHUNK = '{not json';

/** Serializes events, with the faults of `sse` and `rubbish`. */
export function* spoilEvents(events: Iterable<SseEvent>, fault: Fault, shape: StreamShape): Generator<Piece> {
  const { sse } = fault;
  const newline = sse === 'crlf' ? '\r\n' : '\n';
  let sent = 0;
  for (const event of events) {
    if (sent === shape.faultAfterEvents) {
      yield* faultInTheMiddle(fault, shape);
      if (sse === 'error_event') return;
    }
    if (sse === 'comments') yield { content: `: simulated comment ${sent}\n\n:\n`, isEvent: false };
    const isLast = shape.isLast(event);
    if (!isLast || sse !== 'no_done') {
      const text = serialize(event, shape, newline);
      // The last line is ended, but not the event.
      const content = isLast && sse === 'no_blank_line' ? text.slice(0, -newline.length) : text;
      yield { content, isEvent: true, pace: event.pace };
      const isTwice = (isLast && sse === 'done_twice') || (sent === 0 && sse === 'start_twice');
      if (isTwice) yield { content, isEvent: true };
    }
    sent += 1;
  }
}

function* faultInTheMiddle({ rubbish, sse }: Fault, shape: StreamShape): Generator<Piece> {
  const { after, before, name } = shape.textEvent;
  const named = name === undefined ? {} : { event: name };
  const inTheMiddle = (event: SseEvent): Piece => {
    return { content: serialize(event, shape, '\n'), isEvent: true, afterPause: true };
  };
  if (rubbish === 'bad_chunk') yield inTheMiddle({ data: BAD_CHUNK, ...named });
  if (sse === 'error_event') yield inTheMiddle(shape.errorEvent);
  if (sse === 'bad_checksum') yield flipBit(inTheMiddle({ data: `${before}spoiled${after}`, ...named }));
  if (sse === 'huge_line') yield* hugeLine(shape);
}

function serialize(event: SseEvent, shape: StreamShape, newline: string): string | Buffer {
  return shape.frame?.(event) ?? eventText(event, newline);
}

function flipBit(piece: Piece): Piece {
  const content = Buffer.from(piece.content);
  const middle = Math.floor(content.length / 2);
  content.writeUInt8(content.readUInt8(middle) ^ 1, middle);
  return { ...piece, content };
}

/** The line is valid JSON for a reader that reads all of it. */
function* hugeLine({ textEvent: { name, before, after } }: StreamShape): Generator<Piece> {
  const named = name === undefined ? '' : `event: ${name}\n`;
  yield { content: `${named}data: ${before}`, isEvent: false, afterPause: true };
  for (let sent = 0; sent < HUGE_LINE_BYTES; sent += HUGE_LINE_PIECE.length) {
    yield { content: HUGE_LINE_PIECE, isEvent: false };
  }
  yield { content: `${after}\n\n`, isEvent: true };
}
