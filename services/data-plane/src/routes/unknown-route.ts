import type { RequestListener } from 'node:http';
import { absentEndpoint, baseUrlMistake } from '@model-gateway/shared';
import {
  baseUrlIsNoRoute,
  baseUrlIsWrong,
  endpointAbsent,
  routeNotFound,
} from '@model-gateway/shared/errors';
import { callerAt } from '../chat/caller-at.ts';
import type { DataPlaneContext } from '../context.ts';
import type { Exchange } from '../http/exchange.ts';
import { serveExchange } from '../http/serve-exchange.ts';

/** Paths of the base URL itself. */
const BASE_PATHS = new Set(['/', '/v1', '/v1/']);
const DOCS = '/docs';
const FOUND = 302;

/** Answers unknown routes with 404, and browsers at the base URL with a redirect to the documentation. */
export function unknownRoute(context: DataPlaneContext): RequestListener {
  const steps = (exchange: Exchange) => {
    const path = (exchange.req.url ?? '').replace(/\?.*$/s, '');
    if (BASE_PATHS.has(path) && acceptsPages(exchange)) return redirectToDocs(exchange);
    if (BASE_PATHS.has(path)) throw baseUrlIsNoRoute();
    const absent = absentEndpoint(path);
    if (absent !== undefined) throw endpointAbsent(absent);
    const mistake = baseUrlMistake(path);
    throw mistake === undefined ? routeNotFound() : baseUrlIsWrong(mistake);
  };
  return serveExchange(context, 'unknown', steps, ({ url }) => callerAt(url ?? ''));
}

/** Browsers and curl accept pages. An API client that asks for JSON must get an error instead. */
function acceptsPages({ req }: Exchange): boolean {
  if (req.method !== 'GET' && req.method !== 'HEAD') return false;
  return /text\/html|\*\/\*/.test(req.headers.accept ?? '');
}

function redirectToDocs({ res }: Exchange): void {
  const body = JSON.stringify({ docs: DOCS, openapi: '/openapi.json', models: '/v1/models' });
  res.writeHead(FOUND, {
    location: DOCS,
    vary: 'Accept',
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
  });
  res.end(body);
}
