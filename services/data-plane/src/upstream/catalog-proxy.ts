import { Agent, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import {
  AUTHENTICATED_HEADER,
  INTERNAL_TOKEN_HEADER,
  PRICE_LIST_HEADER,
  REQUEST_ID_HEADER,
} from '@model-gateway/service-kit';
import { catalogUnreachable } from '@model-gateway/shared/errors';
import { createProxyMiddleware, type Options } from 'http-proxy-middleware';
import type { Exchange } from '../http/exchange.ts';

/** Request headers that the catalog service needs. All others stay here. */
const PASSED_REQUEST_HEADERS: readonly string[] = [
  'accept',
  'accept-encoding',
  'anthropic-version',
  'if-none-match',
  'user-agent',
];
const PASSED_RESPONSE_HEADERS = new Set([
  'age',
  'allow',
  'cache-control',
  'content-encoding',
  'content-length',
  'content-security-policy',
  'content-type',
  'date',
  'etag',
  'last-modified',
  'location',
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
/** For a busy catalog service; one that is gone breaks the connection. */
const TIMEOUT_MS = 15_000;

export interface CatalogProxyOptions {
  catalogUrl: string;
  /** Authenticates request id and client address to the catalog service. */
  internalToken: string;
}

export class CatalogProxy {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1_024 });
  readonly #internalToken: string;
  readonly #failures = new WeakMap<IncomingMessage, (error: Error) => void>();
  readonly #get;
  readonly #post;

  constructor({ catalogUrl, internalToken }: CatalogProxyOptions) {
    this.#internalToken = internalToken;
    const options: Options<IncomingMessage, ServerResponse> = {
      // A URL: a string would be parsed twice per request.
      target: new URL(catalogUrl),
      agent: this.#agent,
      changeOrigin: true,
      xfwd: false,
      proxyTimeout: TIMEOUT_MS,
      on: {
        proxyRes: (proxyResponse, _req, res) => {
          for (const name of Object.keys(proxyResponse.headers)) {
            if (!PASSED_RESPONSE_HEADERS.has(name)) delete proxyResponse.headers[name];
          }
          // Merge the `vary` of CORS with the catalog's own.
          const vary = [res.getHeader('vary'), proxyResponse.headers.vary].filter(Boolean).join(', ');
          if (vary !== '') proxyResponse.headers.vary = vary;
          // Otherwise the library would echo the request's header, or send `keep-alive`.
          proxyResponse.headers.connection = isLastResponse(res) ? 'close' : 'keep-alive';
        },
        // The library's error page would echo the request's Host and query string.
        error: (error, req) => this.#failures.get(req)?.(error),
      },
    };
    this.#get = createProxyMiddleware(options);
    const posting = { ...options, method: 'POST' };
    this.#post = createProxyMiddleware(posting);
  }

  /**
   * Forwards a GET.
   * @param rules from `writeListingRules`, to list only allowed models. Sent as the body of a POST, because
   *   they may be too long for a header.
   * @throws GatewayError 503 when the catalog service does not answer; ClientGone
   */
  forward(exchange: Exchange, rules?: string): Promise<void> {
    const { req, res, stop } = exchange;
    // `close` has been emitted then, so the promise would never settle.
    if (stop.signal.aborted) return Promise.reject(stop.signal.reason);
    return new Promise((resolve, reject) => {
      const fail = (cause: Error) => reject(catalogUnreachable(cause));
      this.#failures.set(req, fail);
      // The library copies these headers. Its `proxyReq` event is too late: it is skipped for requests with
      // `Expect`, so the catalog service would get the client's key.
      req.headers = this.#head(exchange);
      if (rules !== undefined) {
        const body = Buffer.from(rules);
        Object.assign(req.headers, {
          'content-type': 'application/json',
          'content-length': String(body.length),
        });
        // The library sends what can be read from the request, which has no body of its own.
        req.unshift(body);
      }
      const middleware = rules === undefined ? this.#get : this.#post;
      res.once('close', () => resolve());
      Promise.resolve(
        middleware(req, res, (error?: unknown) => fail(new Error('not proxied', { cause: error }))),
      ).catch(fail);
    });
  }

  close(): void {
    this.#agent.destroy();
  }

  #head({ req, record }: Exchange): IncomingHttpHeaders {
    const head: IncomingHttpHeaders = {
      [INTERNAL_TOKEN_HEADER]: this.#internalToken,
      [REQUEST_ID_HEADER]: record.id,
      'x-forwarded-for': record.clientIp,
    };
    for (const name of PASSED_REQUEST_HEADERS) {
      const value = req.headers[name];
      if (value !== undefined) head[name] = value;
    }
    if (record.key !== undefined) head[AUTHENTICATED_HEADER] = 'true';
    if (record.key?.priceListId !== undefined) head[PRICE_LIST_HEADER] = record.key.priceListId;
    return head;
  }
}

/**
 * Returns true if the client's connection ends with this response: the client asked for it, or this process
 * stops.
 */
function isLastResponse(res: ServerResponse): boolean {
  return !res.shouldKeepAlive || res.getHeader('connection') === 'close';
}
