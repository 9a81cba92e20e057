import { subscribe } from 'node:diagnostics_channel';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Server, Socket } from 'node:net';
import { checkResponse, type ObservedResponse, openApiDocument, responseName } from '@model-gateway/openapi';
import { AUTHENTICATED_HEADER, INTERNAL_TOKEN_HEADER } from '@model-gateway/service-kit';
import { z } from 'zod';
import { parseRawAnswer } from './raw-http.ts';
import { recordBody } from './record-body.ts';

const requestStart = z.looseObject({
  request: z.instanceof(IncomingMessage),
  response: z.instanceof(ServerResponse),
  socket: z.instanceof(Socket),
  server: z.instanceof(Server),
});
const socketOpened = z.looseObject({ socket: z.instanceof(Socket) });

/**
 * Load tests make tens of thousands of similar answers. For each kind (operation, status, media type) the
 * first CHECKED_ALL of a test file are checked, and then one in CHECKED_ONE_IN.
 */
const CHECKED_ALL = 200;
const CHECKED_ONE_IN = 20;

/** The docs page, the redirects to it and the document itself are not part of the documented interface. */
const OUTSIDE = /^\/(openapi\.json|docs(\/.*)?|v1\/?)?$/;

/**
 * Compares every answer of the watched servers with the OpenAPI document, on the server's side of the
 * connection: whatever a test looks at, and whatever client it uses.
 */
export class AnswerObserver {
  /** The kinds of answers that agreed with the document. */
  readonly seen = new Set<string>();
  readonly #ports = new Set<number>();
  readonly #document = openApiDocument();
  readonly #servers = new WeakSet<Server>();
  readonly #counts = new Map<string, number>();
  #findings: string[] = [];

  /** Starts observing. Call it once per process. */
  start(): void {
    subscribe('http.server.request.start', (message) => {
      // The requests of WebSocket clients come from within the process, and not from a socket.
      const { data } = requestStart.safeParse(message);
      if (data !== undefined && this.#isWatched(data.socket, data.server))
        this.#observe(data.request, data.response);
    });
    // Bytes that Node's parser refuses never become a request. Their answer is written to the socket.
    subscribe('net.server.socket', (message) => {
      const { socket } = socketOpened.parse(message);
      if (this.#ports.has(socket.localPort ?? 0)) this.#observeSocket(socket);
    });
  }

  /** Watches the HTTP server on this port until it closes, or until the returned function is called. */
  watch(port: number): () => void {
    this.#ports.add(port);
    return () => this.#ports.delete(port);
  }

  /** Starts to count anew, for a new test file. */
  reset(): void {
    this.#counts.clear();
    this.seen.clear();
  }

  /** @throws Error that lists every answer since the last call that did not agree with the document */
  assertDocumented(): void {
    const findings = this.#findings;
    this.#findings = [];
    if (findings.length > 0) throw new Error(`not as the OpenAPI document says:\n${findings.join('\n')}`);
  }

  #isWatched({ localPort = 0 }: Socket, server: Server): boolean {
    if (!this.#ports.has(localPort)) return false;
    // Another server may get the same port later.
    if (!this.#servers.has(server)) server.once('close', () => this.#ports.delete(localPort));
    this.#servers.add(server);
    return true;
  }

  #observe(req: IncomingMessage, res: ServerResponse): void {
    // One service answers another here. What leaves the gateway is observed at the gateway.
    if (req.headers[INTERNAL_TOKEN_HEADER] !== undefined && req.headers[AUTHENTICATED_HEADER] !== undefined)
      return;
    const body = recordBody(res);
    res.once('close', () => {
      if (!res.headersSent) return;
      const contentType = res.getHeader('content-type')?.toString() ?? null;
      const isBodiless = req.method === 'HEAD' || res.statusCode === 304 || res.statusCode === 204;
      this.#check({
        method: req.method ?? '',
        route: pathOf(req.url),
        status: res.statusCode,
        contentType,
        headers: { get: (name) => res.getHeader(name)?.toString() ?? null },
        body: isBodiless ? '' : body.text(contentType?.startsWith('text/event-stream') === true),
      });
    });
  }

  #observeSocket(socket: Socket): void {
    const end = socket.end;
    socket.end = (...parameters: unknown[]) => {
      const [text] = parameters;
      const answer = typeof text === 'string' ? parseRawAnswer(text) : undefined;
      if (answer !== undefined) {
        const headers = new Headers(answer.headers);
        const contentType = headers.get('content-type');
        this.#check({ ...answer, headers, contentType, method: 'GET', route: 'refused by the parser' });
      }
      return Reflect.apply(end, socket, parameters);
    };
  }

  #check(answer: ObservedResponse): void {
    const name = responseName(this.#document, answer);
    const count = (this.#counts.get(name) ?? 0) + 1;
    this.#counts.set(name, count);
    if (count > CHECKED_ALL && count % CHECKED_ONE_IN !== 0) return;
    const problems = isOutside(answer) ? requestIdProblem(answer) : checkResponse(answer);
    if (problems.length === 0) this.seen.add(name);
    else
      this.#findings.push(
        `${answer.method} ${answer.route} ${answer.status}: ` +
          `${problems.join('; ')}\n  ${answer.body?.slice(0, 500)}`,
      );
  }
}

/**
 * True where the document does not describe the answer: the docs page, and preflights, which belong to the
 * CORS standard.
 */
function isOutside({ method, route, status }: ObservedResponse): boolean {
  // The documentation answers 404 with a page for people.
  if (route.startsWith('/docs/guide/') && status === 404) return true;
  return status < 400 && (OUTSIDE.test(route) || method === 'OPTIONS');
}

function requestIdProblem({ headers }: ObservedResponse): string[] {
  return headers?.get('x-request-id') ? [] : ['the header x-request-id is missing'];
}

/**
 * Returns the path of a request target. One that names another origin stays as it is, because there is no
 * such route.
 */
function pathOf(target = ''): string {
  return target.replace(/\?.*$/s, '');
}
