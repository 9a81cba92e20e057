import { Agent, type ClientRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { AUTHENTICATED_HEADER, INTERNAL_TOKEN_HEADER, REQUEST_ID_HEADER } from '@model-gateway/service-kit';
import { GatewayError } from '@model-gateway/shared';
import { createProxyMiddleware } from 'http-proxy-middleware';
import type { Exchange } from '../request-record.ts';

/** The reader's headers that the catalog service needs; all others stay here. */
const PASSED_REQUEST_HEADERS = new Set(['accept', 'if-none-match', 'user-agent']);
const PASSED_RESPONSE_HEADERS = new Set([
  'age',
  'allow',
  'cache-control',
  'content-length',
  'content-security-policy',
  'content-type',
  'date',
  'etag',
  'last-modified',
  'ratelimit',
  'ratelimit-policy',
  'referrer-policy',
  'retry-after',
  'transfer-encoding',
  'vary',
  'www-authenticate',
  'x-ratelimit-limit-requests',
  'x-ratelimit-remaining-requests',
  'x-ratelimit-reset-requests',
  'x-content-type-options',
]);
/** A catalog service that is gone is noticed by its connection; one that is busy is waited for. */
const TIMEOUT_MS = 15_000;

export interface CatalogProxyOptions {
  catalogUrl: string;
  /** Proves to the catalog service that request id and client address come from a data plane. */
  internalToken: string;
}

/** Transparent pass-through of the public GETs to the catalog service. */
export class CatalogProxy {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1_024 });
  readonly #running = new WeakMap<IncomingMessage, { exchange: Exchange; fail: (error: Error) => void }>();
  readonly #middleware;

  constructor({ catalogUrl, internalToken }: CatalogProxyOptions) {
    this.#middleware = createProxyMiddleware<IncomingMessage, ServerResponse>({
      // A parsed target: a string would be parsed twice for every request.
      target: new URL(catalogUrl),
      agent: this.#agent,
      changeOrigin: true,
      xfwd: false,
      proxyTimeout: TIMEOUT_MS,
      on: {
        proxyReq: (proxyRequest, req) => this.#writeHead(proxyRequest, req, internalToken),
        proxyRes: (proxyResponse, _req, res) => {
          for (const name of Object.keys(proxyResponse.headers)) {
            if (!PASSED_RESPONSE_HEADERS.has(name)) delete proxyResponse.headers[name];
          }
          // What CORS depends on still counts when the catalog's own reasons come on top.
          const vary = [res.getHeader('vary'), proxyResponse.headers.vary].filter(Boolean).join(', ');
          if (vary !== '') proxyResponse.headers.vary = vary;
        },
        // Its own error page would echo the request's Host and query string.
        error: (error, req) => this.#running.get(req)?.fail(error),
      },
    });
  }

  /** @throws GatewayError 503 when the catalog service does not answer */
  forward(exchange: Exchange): Promise<void> {
    const { req, res } = exchange;
    return new Promise((resolve, reject) => {
      const fail = (cause: Error) => {
        const message = 'The model catalog cannot be reached at the moment. Retry in a second.';
        reject(new GatewayError('control_plane_unavailable', message, { cause }));
      };
      this.#running.set(req, { exchange, fail });
      res.once('close', () => resolve());
      Promise.resolve(
        this.#middleware(req, res, (error?: unknown) => fail(new Error('not proxied', { cause: error }))),
      ).catch(fail);
    });
  }

  close(): void {
    this.#agent.destroy();
  }

  #writeHead(proxyRequest: ClientRequest, req: IncomingMessage, internalToken: string): void {
    const running = this.#running.get(req);
    if (running === undefined) throw new Error('a request was proxied that nobody forwarded');
    for (const name of proxyRequest.getHeaderNames()) {
      if (name !== 'host' && name !== 'connection' && !PASSED_REQUEST_HEADERS.has(name))
        proxyRequest.removeHeader(name);
    }
    const { record } = running.exchange;
    proxyRequest.setHeader(INTERNAL_TOKEN_HEADER, internalToken);
    proxyRequest.setHeader(REQUEST_ID_HEADER, record.id);
    proxyRequest.setHeader('x-forwarded-for', record.clientIp);
    if (record.key !== undefined) proxyRequest.setHeader(AUTHENTICATED_HEADER, 'true');
  }
}
