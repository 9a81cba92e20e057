import type { IncomingMessage, ServerResponse } from 'node:http';
import type { PreparedAnswer } from './prepared-answer.ts';

/** For how many seconds a client may use its copy (docs/wire-format.md, "GET /v1/models"). */
const MAX_AGE_SECONDS = 5;

export interface SendCachedOptions {
  /** Shared caches must not keep the answer to an authenticated request. */
  visibility: 'public' | 'private';
  /** Headers of the request, besides Authorization, on which the answer depends. */
  dependsOn?: readonly string[];
}

/** Sends JSON with its ETag. A client that already has it gets a 304 without a body. */
export function sendCached(
  req: IncomingMessage,
  res: ServerResponse,
  { body, etag }: PreparedAnswer,
  { visibility, dependsOn = [] }: SendCachedOptions,
): void {
  res.setHeader('etag', etag);
  res.setHeader('cache-control', `${visibility}, max-age=${MAX_AGE_SECONDS}`);
  res.setHeader('vary', ['Authorization', ...dependsOn].join(', '));
  if (matchesEtag(req.headers['if-none-match'], etag)) {
    res.writeHead(304).end();
    return;
  }
  res.writeHead(200, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': body.length,
  });
  res.end(body);
}

/** Compares an If-None-Match header with an ETag, weakly (RFC 9110, section 13.1.2). */
export function matchesEtag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  return header.split(',').some((entry) => entry.trim() === '*' || entry.trim().replace(/^W\//, '') === etag);
}
