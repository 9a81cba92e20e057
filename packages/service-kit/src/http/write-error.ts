import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { type ErrorShape, errorBody, newRequestId, type PublicError } from '@model-gateway/shared';
import { REQUEST_ID_HEADER, requestIdOf } from './request-id.ts';

/** Reading an unread body of up to this size to its end is cheaper than opening a new connection. */
const MAX_DRAINED_BYTES = 64 * 1024;
/** How long the rest of a small body may take after the response. */
const UNREAD_BODY_MS = 10_000;
/** How long a client that is still sending may take to read the response before the connection is cut. */
const LINGER_MS = 2_000;

/** Responds to a request with an error in the form that its caller expects. */
export type ErrorWriter = (req: IncomingMessage, res: ServerResponse, error: PublicError) => void;

/** Writes every error in OpenAI's form. */
export const usualError: ErrorWriter = (_req, res, error) => writeError(res, error);

/**
 * Writes an error response; nothing else does this over HTTP. It does nothing when the headers are sent
 * already or the client is gone.
 */
export function writeError(res: ServerResponse, error: PublicError, shape: ErrorShape = errorBody): void {
  if (res.headersSent || res.destroyed) return;
  const shaped = shape(error, requestIdOf(res));
  const body = typeof shaped === 'string' ? shaped : JSON.stringify(shaped);
  for (const [name, value] of Object.entries(error.headers)) res.setHeader(name, value);
  const lingers = hasLargeUnreadBody(res.req);
  if (lingers) res.setHeader('connection', 'close');
  res.writeHead(error.status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
  });
  if (lingers) endLingering(res, body);
  else res.end(body);
  if (!res.req.complete) cutUnlessComplete(res.req);
}

/**
 * Writes an error to a connection whose bytes never became a request (broken framing), and ends the
 * connection, after LINGER_MS also if the client does not read.
 */
export function writeErrorToSocket(socket: Duplex, error: PublicError): void {
  const requestId = newRequestId();
  const body = JSON.stringify(errorBody(error, requestId));
  const head = [
    `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status] ?? 'Error'}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    'cache-control: no-store',
    'connection: close',
    `${REQUEST_ID_HEADER}: ${requestId}`,
    ...Object.entries(error.headers).map(([name, value]) => `${name}: ${value}`),
  ];
  const cut = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(cut));
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}

/** Cuts the connection of a client that has its response but never sends the rest of its request. */
function cutUnlessComplete(req: IncomingMessage): void {
  const { socket } = req;
  const timer = setTimeout(() => {
    if (!req.complete) socket.destroy();
  }, UNREAD_BODY_MS);
  timer.unref();
  // Otherwise the timer keeps the request and its received part in memory.
  req.once('close', () => clearTimeout(timer));
}

function hasLargeUnreadBody(req: IncomingMessage): boolean {
  if (req.complete) return false;
  return (
    req.headers['transfer-encoding'] !== undefined ||
    Number(req.headers['content-length'] ?? 0) > MAX_DRAINED_BYTES
  );
}

/**
 * Ends the connection slowly: closing it while the client still sends would reset it, and a reset can destroy
 * the response. Until then, whatever arrives is discarded.
 */
function endLingering(res: ServerResponse, body: string): void {
  const { req } = res;
  const end = () => {
    clearTimeout(timer);
    res.end();
  };
  const timer = setTimeout(end, LINGER_MS);
  req.once('end', end);
  req.once('close', end);
  req.resume();
  res.write(body);
}
