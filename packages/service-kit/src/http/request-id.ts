import type { IncomingMessage, ServerResponse } from 'node:http';
import { newRequestId } from '@model-gateway/shared';

export const REQUEST_ID_HEADER = 'x-request-id';
const CLIENT_REQUEST_ID_HEADER = 'x-client-request-id';

const REQUEST_ID = Symbol('request id');

declare module 'node:http' {
  interface ServerResponse {
    /** A property, because a WeakMap's entry costs 0.5 µs per request, mostly for garbage collection. */
    [REQUEST_ID]?: string;
  }
}

/** Gives the exchange its id (new, or chosen by a trusted caller) and writes the id headers. */
export function assignRequestId(req: IncomingMessage, res: ServerResponse, trustedId?: string): string {
  const id = trustedId ?? newRequestId();
  res[REQUEST_ID] = id;
  res.setHeader(REQUEST_ID_HEADER, id);
  const theirs = clientRequestId(req);
  if (theirs !== undefined) res.setHeader(CLIENT_REQUEST_ID_HEADER, theirs);
  return id;
}

export function requestIdOf(res: ServerResponse): string {
  return res[REQUEST_ID] ?? newRequestId();
}

/**
 * Returns the client's own id, if it has at most 128 visible ASCII characters. It is echoed and logged, but
 * never trusted. An id that contains an API key is dropped, because it would be logged.
 */
export function clientRequestId(req: IncomingMessage): string | undefined {
  const value = req.headers[REQUEST_ID_HEADER];
  if (typeof value !== 'string' || /gw_(live|admin|scim)_/i.test(value)) return undefined;
  return /^[\x21-\x7e]{1,128}$/.test(value) ? value : undefined;
}
