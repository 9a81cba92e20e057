import { once } from 'node:events';
import { breakExchange, letClientCatchUp } from '../faults/break-exchange.ts';
import { breakInTheMiddle, dueBreak } from '../faults/due-break.ts';
import { BAD_CHUNK, type Piece, spoilEvents } from '../faults/spoil-events.ts';
import type { ProviderExchange } from '../http/exchange.ts';
import type { Answer, BytesAnswer, EventsAnswer, WholeAnswer } from './answer.ts';
import { sendContradictoryFraming } from './contradictory-framing.ts';
import { writeHeaders } from './write-headers.ts';

const EVENT_STREAM = 'text/event-stream; charset=utf-8';

/** Sends an answer with the faults that were asked for. @throws AbortError when the client has gone away */
export async function sendAnswer(exchange: ProviderExchange, answer: Answer): Promise<void> {
  if (exchange.fault.framing === 'cl_and_te') return sendContradictoryFraming(exchange, answer);
  return answer.kind === 'whole' ? sendWhole(exchange, answer) : sendPieces(exchange, answer);
}

async function sendWhole(exchange: ProviderExchange, answer: WholeAnswer): Promise<void> {
  const { fault, res } = exchange;
  const body = Buffer.from(spoiledBody(answer, exchange));
  writeHeaders(exchange, {
    ...answer.headers,
    'content-type': answer.contentType,
    'content-length': String(body.length),
  });
  const afterHeaders = dueBreak(fault, 'after_headers');
  if (afterHeaders !== undefined) {
    res.flushHeaders();
    return breakExchange(exchange, afterHeaders, 'destroy');
  }
  const inTheMiddle = breakInTheMiddle(fault);
  if (inTheMiddle !== undefined) {
    res.write(body.subarray(0, Math.floor(body.length / 2)));
    return breakExchange(exchange, inTheMiddle, 'destroy');
  }
  res.end(body);
}

function spoiledBody({ body }: WholeAnswer, { fault }: ProviderExchange): string | Buffer {
  if (fault.rubbish === 'empty') return '';
  return fault.rubbish === 'bad_chunk' ? BAD_CHUNK : body;
}

async function sendPieces(exchange: ProviderExchange, answer: EventsAnswer | BytesAnswer): Promise<void> {
  const { fault, res } = exchange;
  const isEvents = answer.kind === 'events';
  // An event stream may end anywhere; other bodies are only cut short by a lost connection.
  const truncation = isEvents ? 'end' : 'destroy';
  writeHeaders(exchange, {
    'content-type': isEvents ? (exchange.protocol.stream.contentType ?? EVENT_STREAM) : answer.contentType,
    'cache-control': 'no-cache',
  });
  res.flushHeaders();
  let sent = 0;
  let kind = dueBreak(fault, 'after_headers') ?? dueBreak(fault, sent);
  if (kind === undefined && fault.rubbish !== 'empty') {
    const pieces = isEvents
      ? spoilEvents(answer.events, fault, exchange.protocol.stream)
      : bytePieces(answer.chunks);
    for await (const piece of pieces) {
      if (piece.afterPause) await letClientCatchUp(exchange);
      await write(exchange, piece.content);
      if (piece.isEvent) kind = dueBreak(fault, ++sent);
      if (kind !== undefined) break;
    }
  }
  if (kind !== undefined) return breakExchange(exchange, kind, truncation);
  res.end();
}

async function* bytePieces(chunks: AsyncIterable<Buffer>): AsyncGenerator<Piece> {
  for await (const content of chunks) yield { content, isEvent: true };
}

/** Waits for a client that reads slowly. @throws AbortError when it has gone away */
async function write({ res, signal }: ProviderExchange, content: string | Buffer): Promise<void> {
  signal.throwIfAborted();
  if (!res.write(content)) await once(res, 'drain', { signal });
}
