import { once } from 'node:events';
import { breakExchange, letClientCatchUp } from '../faults/break-exchange.ts';
import { breakInTheMiddle, dueBreak } from '../faults/due-break.ts';
import { BAD_CHUNK, type Piece, spoilEvents } from '../faults/spoil-events.ts';
import { type ProviderExchange, pause } from '../http/exchange.ts';
import type { Answer, BytesAnswer, EventsAnswer, WholeAnswer } from './answer.ts';
import { writeHeaders } from './write-headers.ts';

const EVENT_STREAM = 'text/event-stream; charset=utf-8';
/** Pings without tokens between them are at least this far apart, in milliseconds. */
const MIN_PING_DELAY_MS = 10;

/** Sends an answer with the requested faults. @throws AbortError if the client has gone away */
export async function sendAnswer(exchange: ProviderExchange, answer: Answer): Promise<void> {
  if (exchange.fault.framing === 'cl_and_te') return sendContradictoryFraming(exchange, answer);
  return answer.kind === 'whole' ? sendWhole(exchange, answer) : sendPieces(exchange, answer);
}

async function sendWhole(exchange: ProviderExchange, answer: WholeAnswer): Promise<void> {
  const { fault, progress, res } = exchange;
  // A body that is not streamed exists as a whole before it is sent.
  progress.isDone = true;
  const body = Buffer.from(spoiledBody(answer, exchange));
  writeHeaders(exchange, {
    ...answer.headers,
    'content-type': answer.contentType,
    'content-length': String(body.length),
  });
  const afterHeaders = dueBreak(fault, 'after_headers');
  const due = afterHeaders ?? breakInTheMiddle(fault);
  if (due === undefined) {
    progress.isSent = true;
    return void res.end(body);
  }
  if (afterHeaders !== undefined) res.flushHeaders();
  else res.write(body.subarray(0, Math.floor(body.length / 2)));
  return breakExchange(exchange, due, 'destroy');
}

function spoiledBody({ body }: WholeAnswer, { fault }: ProviderExchange): string | Buffer {
  if (fault.rubbish === 'empty') return '';
  return fault.rubbish === 'bad_chunk' ? BAD_CHUNK : body;
}

async function sendPieces(exchange: ProviderExchange, answer: EventsAnswer | BytesAnswer): Promise<void> {
  const { fault, progress, res, signal, tokenDelayMs } = exchange;
  const isEvents = answer.kind === 'events';
  // An event stream may end anywhere; other bodies are only cut short by a lost connection.
  const truncation = isEvents ? 'end' : 'destroy';
  writeHeaders(exchange, {
    'content-type': isEvents ? (exchange.protocol.stream.contentType ?? EVENT_STREAM) : answer.contentType,
    'cache-control': 'no-cache',
  });
  res.flushHeaders();
  let sent = 0;
  let due = dueBreak(fault, 'after_headers') ?? dueBreak(fault, sent);
  if (due === undefined && fault.rubbish !== 'empty') {
    for (const piece of piecesOf(exchange, answer)) {
      if (piece.pace === 'token') {
        await pause(tokenDelayMs, signal);
        progress.generated += 1;
      }
      if (piece.pace === 'ping') await pause(Math.max(tokenDelayMs, MIN_PING_DELAY_MS), signal);
      if (piece.afterPause) await letClientCatchUp(exchange);
      await write(exchange, piece.content);
      if (piece.isEvent) due = dueBreak(fault, ++sent);
      if (due !== undefined) break;
    }
  }
  if (due !== undefined) return breakExchange(exchange, due, truncation);
  progress.isDone = true;
  progress.isSent = true;
  res.end();
}

function piecesOf(
  { fault, protocol }: ProviderExchange,
  answer: EventsAnswer | BytesAnswer,
): Iterable<Piece> {
  if (answer.kind === 'events') return spoilEvents(answer.events, fault, protocol.stream);
  return answer.chunks.map((content, index) => {
    return { content, isEvent: true, ...(index > 0 && { pace: 'token' as const }) };
  });
}

/** Waits for a client that reads slowly. @throws AbortError if it has gone away */
async function write({ res, signal }: ProviderExchange, content: string | Buffer): Promise<void> {
  signal.throwIfAborted();
  if (!res.write(content)) await once(res, 'drain', { signal });
}

/**
 * Sends both Content-Length and Transfer-Encoding, as in response smuggling: two readers that trust different
 * headers disagree about where the response ends. Node refuses to write this, so it goes to the socket.
 */
function sendContradictoryFraming(exchange: ProviderExchange, answer: Answer): void {
  const parts =
    answer.kind === 'whole'
      ? [answer.body]
      : Array.from(piecesOf(exchange, answer), ({ content }) => content);
  const body = Buffer.concat(parts.map((part) => Buffer.from(part)));
  const contentType = answer.kind === 'events' ? 'text/event-stream' : answer.contentType;
  const head = [
    'HTTP/1.1 200 OK',
    `Content-Type: ${contentType}`,
    `Content-Length: ${Math.floor(body.length / 2)}`,
    'Transfer-Encoding: chunked',
  ];
  exchange.markEnded();
  const { socket } = exchange.req;
  socket.write(`${head.join('\r\n')}\r\n\r\n${body.length.toString(16)}\r\n`);
  socket.write(body);
  socket.end('\r\n0\r\n\r\n');
}
