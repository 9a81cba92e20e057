import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { GatewayError } from '@model-gateway/shared';
import {
  headersTooLarge,
  malformedRequest,
  methodNotAllowed,
  requestTooSlow,
  routeNotFound,
  unknownExpectation,
} from '@model-gateway/shared/errors';
import { ListeningSpan } from '../lifecycle/listening-span.ts';
import { checkFraming } from './check-framing.ts';
import { isOrdinaryTarget } from './check-target.ts';
import { ConnectionTurns } from './connection-turns.ts';
import { assignRequestId } from './request-id.ts';
import { writeError, writeErrorToSocket } from './write-error.ts';

/** Header block and URI together, in bytes; the load balancer passes larger ones on to be refused here. */
const MAX_HEADER_BYTES = 32 * 1024;
const HEADERS_TIMEOUT_MS = 10_000;
/**
 * Longer than the 60 s after which load balancers drop idle connections, so that it is never us who races
 * them.
 */
const KEEP_ALIVE_TIMEOUT_MS = 65_000;
const REQUEST_TIMEOUT_MS = 300_000;

/** After these nobody can tell where the next request begins. */
const ENDS_CONNECTION = new Set([400, 417]);

export interface HttpServerOptions {
  /** Reads a request id that a trusted caller of ours has chosen; undefined: we choose one. */
  trustedRequestId?: (req: IncomingMessage) => string | undefined;
  /** The slowest header block that is waited for. */
  headersTimeoutMs?: number;
  /** Told of every answer that never reaches the listener (broken framing and the like). */
  onRefused?: (error: GatewayError) => void;
}

/**
 * An HTTP server that answers hostile or broken requests in the error envelope and hands only well-formed
 * ones to the listener. Every answer carries a request id.
 */
export function createHttpServer(listener: RequestListener, options: HttpServerOptions = {}): Server {
  const headersTimeoutMs = options.headersTimeoutMs ?? HEADERS_TIMEOUT_MS;
  const server = createServer({
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: headersTimeoutMs,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    connectionsCheckingInterval: 1_000,
    // Node would answer a missing Host without a body; checkFraming does it in the envelope.
    requireHostHeader: false,
    noDelay: true,
  });
  // Their number is bounded by their size; Node would otherwise drop those beyond 2000 silently.
  server.maxHeadersCount = 0;
  // Node counts from when a connection was accepted, by the wall clock: a process that is behind would refuse
  // those whose requests lie unread.
  const span = new ListeningSpan(headersTimeoutMs);
  Object.defineProperty(server, 'headersTimeout', { get: () => span.wallMs });
  server.once('close', () => span.close());
  const turns = new ConnectionTurns();

  const handle = (req: IncomingMessage, res: ServerResponse, refusal: GatewayError | undefined) =>
    turns.take(req.socket, res, () => {
      assignRequestId(req, res, options.trustedRequestId?.(req));
      if (refusal === undefined) return listener(req, res);
      options.onRefused?.(refusal);
      if (ENDS_CONNECTION.has(refusal.status)) res.setHeader('connection', 'close');
      writeError(res, refusal);
    });
  server.on('request', (req, res) => handle(req, res, refusalOf(req)));
  // The listener asks for the body when it wants one, so a refusal comes before the upload.
  server.on('checkContinue', (req, res) => handle(req, res, refusalOf(req)));
  server.on('checkExpectation', (req, res) => handle(req, res, unknownExpectation()));
  server.on('connect', (_req: IncomingMessage, socket: Duplex) => {
    ownSocket(socket);
    // Node has taken all its listeners from the socket, also those that let answers ahead of this one drain
    // and time out. Nobody asks for a tunnel behind another request, so nothing is lost by ending it all.
    if (turns.current(socket) !== undefined) {
      socket.destroy();
      return;
    }
    const error = methodNotAllowed('CONNECT', ['GET', 'HEAD', 'POST']);
    options.onRefused?.(error);
    writeErrorToSocket(socket, error);
  });
  server.on('clientError', (cause: NodeJS.ErrnoException, socket: Socket) => {
    const response = turns.current(socket);
    // Refused already, and the rest of the request is broken, too: the answer, written whole, must still go
    // out.
    if (response?.headersSent === true && response.statusCode >= 400 && socket.writable) {
      socket.destroySoon();
      return;
    }
    const isOwnRequest = response?.req.complete === false;
    // A response that has begun cannot be turned into an error; a lost connection needs no answer.
    if (!socket.writable || cause.code === 'ECONNRESET' || (isOwnRequest && response.headersSent)) {
      socket.destroy();
      return;
    }
    const refuse = () => {
      const error = parserError(cause);
      options.onRefused?.(error);
      writeErrorToSocket(socket, error);
    };
    // Broken bytes after a whole request are no fault of that one: its answer goes first.
    if (isOwnRequest) refuse();
    else turns.finish(socket, refuse);
  });
  return server;
}

/**
 * For a socket that Node has handed out and looks after no more: an error that nobody listens for ends the
 * process.
 */
function ownSocket(socket: Duplex): void {
  socket.on('error', () => socket.destroy());
}

function refusalOf(req: IncomingMessage): GatewayError | undefined {
  const framing = checkFraming(req);
  if (framing !== undefined) return framing;
  if (req.method === 'TRACE') return methodNotAllowed('TRACE', ['GET', 'HEAD', 'POST']);
  return isOrdinaryTarget(req.url ?? '') ? undefined : routeNotFound();
}

function parserError(cause: NodeJS.ErrnoException): GatewayError {
  if (cause.code === 'HPE_HEADER_OVERFLOW') return headersTooLarge(MAX_HEADER_BYTES, cause);
  if (cause.code === 'ERR_HTTP_REQUEST_TIMEOUT') return requestTooSlow(cause);
  return malformedRequest('Use a standard HTTP/1.1 client.', cause);
}
