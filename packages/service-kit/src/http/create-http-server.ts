import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  ServerResponse,
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
import { ConnectionQueue } from './connection-queue.ts';
import { assignRequestId } from './request-id.ts';
import { type ErrorWriter, usualError, writeErrorToSocket } from './write-error.ts';

/** The limit for header block and URI together, in bytes. The load balancer's own limit is higher. */
const MAX_HEADER_BYTES = 32 * 1024;
const HEADERS_TIMEOUT_MS = 10_000;
/** Longer than the 60 s of load balancers, so that this side never closes a connection while they use it. */
const KEEP_ALIVE_TIMEOUT_MS = 65_000;
const REQUEST_TIMEOUT_MS = 300_000;

/** After these statuses, the start of the next request is unknown. */
const ENDS_CONNECTION = new Set([400, 417]);

export interface HttpServerOptions {
  /** Reads a request id that a trusted caller has chosen; undefined: the server chooses one. */
  trustedRequestId?: (req: IncomingMessage) => string | undefined;
  /** How long the server waits for a complete header block. */
  headersTimeoutMs?: number;
  /** Called for every response that does not come from the listener, as after broken framing. */
  onRefused?: (error: GatewayError) => void;
  /** Writes such a response, if the bytes were a request. */
  writeError?: ErrorWriter;
  /** Takes requests that may change the protocol of their connection. Left out: none may. */
  upgrade?: UpgradeListener | undefined;
}

export interface UpgradeListener {
  /** Returns true for a request to take. All others are ordinary requests. */
  takes(req: IncomingMessage): boolean;
  /**
   * Serves a request: answers it, which ends the connection, or changes the protocol.
   * @param head bytes that arrived after the request
   */
  serve(req: IncomingMessage, res: ServerResponse, head: Buffer): void;
}

/**
 * Makes an HTTP server that answers hostile or broken requests with an error of the usual form, and passes
 * only valid ones to the listener. Every answer has a request id.
 */
export function createHttpServer(listener: RequestListener, options: HttpServerOptions = {}): Server {
  const headersTimeoutMs = options.headersTimeoutMs ?? HEADERS_TIMEOUT_MS;
  const server = createServer({
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: headersTimeoutMs,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    connectionsCheckingInterval: 1_000,
    // Behind a response that is not complete yet, it is an ordinary request, which waits for its turn.
    shouldUpgradeCallback: (req) =>
      options.upgrade?.takes(req) === true &&
      refusalOf(req) === undefined &&
      queue.current(req.socket) === undefined,
    // Node would answer a missing Host without a body. checkFraming answers with an error of the usual form.
    requireHostHeader: false,
    noDelay: true,
  });
  // The size limit already limits the number of headers. Without this line, Node would silently drop those
  // after the 2000th.
  server.maxHeadersCount = 0;
  // Node measures from when the connection was accepted, by the wall clock. So a busy process would refuse
  // clients whose requests it has received but not read yet.
  const span = new ListeningSpan(headersTimeoutMs);
  Object.defineProperty(server, 'headersTimeout', { get: () => span.wallMs });
  server.once('close', () => span.close());
  const queue = new ConnectionQueue();
  const writeRefusal = options.writeError ?? usualError;

  const handle = (req: IncomingMessage, res: ServerResponse, refusal: GatewayError | undefined) =>
    queue.add(req.socket, res, () => {
      assignRequestId(req, res, options.trustedRequestId?.(req));
      if (refusal === undefined) return listener(req, res);
      options.onRefused?.(refusal);
      if (ENDS_CONNECTION.has(refusal.status)) res.setHeader('connection', 'close');
      writeRefusal(req, res, refusal);
    });
  server.on('request', (req, res) => handle(req, res, refusalOf(req)));
  // The listener sends "100 Continue" when it wants the body, so that a refusal comes before the upload.
  server.on('checkContinue', (req, res) => handle(req, res, refusalOf(req)));
  server.on('checkExpectation', (req, res) => handle(req, res, unknownExpectation()));
  server.on('upgrade', (req: IncomingMessage, socket: Socket, head: Buffer) => {
    ownSocket(socket);
    const res = new ServerResponse(req);
    res.shouldKeepAlive = false;
    res.assignSocket(socket);
    res.once('finish', () => socket.destroySoon());
    assignRequestId(req, res, options.trustedRequestId?.(req));
    options.upgrade?.serve(req, res, head);
  });
  server.on('connect', (_req: IncomingMessage, socket: Duplex) => {
    ownSocket(socket);
    // Node has removed its listeners, so earlier responses could not drain or time out. No real client
    // pipelines CONNECT, so ending the connection loses nothing.
    if (queue.current(socket) !== undefined) {
      socket.destroy();
      return;
    }
    const error = methodNotAllowed('CONNECT', ['GET', 'HEAD', 'POST']);
    options.onRefused?.(error);
    writeErrorToSocket(socket, error);
  });
  server.on('clientError', (cause: NodeJS.ErrnoException, socket: Socket) => {
    const response = queue.current(socket);
    // The rest of a refused request is broken, too. Its complete response must still be sent.
    if (response?.headersSent === true && response.statusCode >= 400 && socket.writable) {
      socket.destroySoon();
      return;
    }
    const isOwnRequest = response?.req.complete === false;
    // A response that has begun cannot become an error, and a lost connection needs no response.
    if (!socket.writable || cause.code === 'ECONNRESET' || (isOwnRequest && response.headersSent)) {
      socket.destroy();
      return;
    }
    const refuse = () => {
      const error = parserError(cause);
      options.onRefused?.(error);
      writeErrorToSocket(socket, error);
    };
    // Broken bytes after a whole request are no fault of that request, so its response goes first.
    if (isOwnRequest) refuse();
    else queue.finish(socket, refuse);
  });
  return server;
}

/** Handles errors of a socket that Node no longer handles: an unhandled error event ends the process. */
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
