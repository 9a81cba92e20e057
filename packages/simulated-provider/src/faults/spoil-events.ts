import { eventText, type SseEvent } from '../answers/sse-event.ts';
import type { StreamShape } from '../answers/stream-shape.ts';
import type { Fault } from './fault-schema.ts';

/** Bytes of one write. */
export interface Piece {
  content: string | Buffer;
  /** True if it completes an event, and so counts for `after_events`. */
  isEvent: boolean;
  /** The client gets time to read what was sent before. */
  afterPause?: true;
}

const HUGE_LINE_BYTES = 100 * 1024 * 1024;
const HUGE_LINE_PIECE = Buffer.alloc(64 * 1024, 'x');

export const BAD_CHUNK = '{not json';
/** Writes events as text, with the faults of `sse` and `rubbish` worked in. */
export async function* spoilEvents(
  events: AsyncIterable<SseEvent>,
  fault: Fault,
  shape: StreamShape,
): AsyncGenerator<Piece> {
  const newline = fault.sse === 'crlf' ? '\r\n' : '\n';
  let sent = 0;
  for await (const event of events) {
    if (sent === shape.faultAfterEvents) {
      yield* faultInTheMiddle(fault, shape);
      if (fault.sse === 'error_event') return;
    }
    if (fault.sse === 'comments') yield { content: `: simulated comment ${sent}\n\n:\n`, isEvent: false };
    yield* piecesOf(event, fault, { newline, shape, isFirst: sent === 0 });
    sent += 1;
  }
}

function* piecesOf(
  event: SseEvent,
  { sse }: Fault,
  { isFirst, newline, shape }: { isFirst: boolean; newline: string; shape: StreamShape },
): Generator<Piece> {
  const isLast = shape.isLast(event);
  if (isLast && sse === 'no_done') return;
  const text = written(event, shape, newline);
  // The last line is ended, but not the event.
  if (isLast && sse === 'no_blank_line') yield { content: text.slice(0, -newline.length), isEvent: true };
  else yield { content: text, isEvent: true };
  const isTwice = (isLast && sse === 'done_twice') || (isFirst && sse === 'start_twice');
  if (isTwice) yield { content: text, isEvent: true };
}

function* faultInTheMiddle({ rubbish, sse }: Fault, shape: StreamShape): Generator<Piece> {
  const { name } = shape.textEvent;
  const broken = { data: BAD_CHUNK, ...(name === undefined ? {} : { event: name }) };
  if (rubbish === 'bad_chunk') yield eventInTheMiddle(broken, shape);
  if (sse === 'error_event') yield eventInTheMiddle(shape.errorEvent, shape);
  if (sse === 'bad_checksum') yield spoiled(eventInTheMiddle(textEvent(shape), shape));
  if (sse === 'huge_line') yield* hugeLine(shape);
}

function eventInTheMiddle(event: SseEvent, shape: StreamShape): Piece {
  return { content: written(event, shape, '\n'), isEvent: true, afterPause: true };
}

function written(event: SseEvent, shape: StreamShape, newline: string): string | Buffer {
  return shape.frame?.(event) ?? eventText(event, newline);
}

function textEvent({ textEvent: { after, before, name } }: StreamShape): SseEvent {
  return { data: `${before}spoiled${after}`, ...(name === undefined ? {} : { event: name }) };
}

/** One bit of a message with a checksum is turned. */
function spoiled(piece: Piece): Piece {
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
