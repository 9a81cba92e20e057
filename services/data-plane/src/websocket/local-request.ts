import { type IncomingMessage, request, type Server } from 'node:http';
import type { MemoryClaim } from '../memory/memory-claim.ts';
import { LocalSocket } from './local-socket.ts';

/** Headers that belong to a connection, a body or, like `idempotency-key`, to a single request. */
const NOT_REPEATED = new Set([
  'accept-encoding',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'expect',
  'idempotency-key',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);
const CONNECTION_HEADERS = /^(?:sec-websocket-|proxy-)/;
/** How OpenAI's clients ask for WebSocket. Providers are called over HTTP. */
const WEBSOCKET_BETA = /^ *responses_websockets=/;

/** A POST to the routes of this process, for the client of a WebSocket. */
export interface LocalRequest {
  path: string;
  /** JSON, in pieces. */
  body: readonly Buffer[];
  /** The memory of the body. */
  claim: MemoryClaim;
}

export interface LocalResponse {
  /** Resolves with the head of the response. Rejects if there is none, as after `abort`. */
  head: Promise<IncomingMessage>;
  /** Resolves when the route has ended and no longer uses the body. */
  closed: Promise<void>;
  /** Leaves, like a client that closes its connection. */
  abort(): void;
}

/**
 * Sends a request through the HTTP server of this process, so that limits, rules and billing work as for any
 * other request. It has the headers and the address of the upgrade.
 */
export function sendLocally(
  server: Pick<Server, 'emit'>,
  upgrade: Pick<IncomingMessage, 'rawHeaders' | 'socket'>,
  { body, claim, path }: LocalRequest,
): LocalResponse {
  const [client, end] = LocalSocket.pair(upgrade.socket.remoteAddress);
  end.bodyClaim = claim;
  const head = Promise.withResolvers<IncomingMessage>();
  const closed = Promise.withResolvers<void>();
  const length = body.reduce((sum, piece) => sum + piece.length, 0);
  const headers = [...repeatedHeaders(upgrade.rawHeaders), 'content-type', 'application/json'];
  headers.push('content-length', String(length), 'connection', 'close');
  const sent = request({ method: 'POST', path, headers, createConnection: () => client });
  sent.on('response', head.resolve).on('error', head.reject);
  server.emit('connection', end);
  // Behind the listeners of the server, which end the request.
  end.on('close', closed.resolve);
  for (const piece of body) sent.write(piece);
  sent.end();
  return { head: head.promise, closed: closed.promise, abort: () => client.destroy() };
}

/** @returns names and values in turn */
function repeatedHeaders(rawHeaders: readonly string[]): string[] {
  const repeated: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const [header = '', value = ''] = rawHeaders.slice(index, index + 2);
    const name = header.toLowerCase();
    if (NOT_REPEATED.has(name) || CONNECTION_HEADERS.test(name)) continue;
    const kept = name === 'openai-beta' ? withoutWebSocketBeta(value) : value;
    if (kept !== '') repeated.push(header, kept);
  }
  return repeated;
}

function withoutWebSocketBeta(betas: string): string {
  return betas
    .split(',')
    .filter((beta) => !WEBSOCKET_BETA.test(beta))
    .join(',');
}
