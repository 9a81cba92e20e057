import type { IncomingMessage } from 'node:http';
import { clientIp, type TrustProxy } from '@model-gateway/service-kit';
import { AUTH_PATH, CLIENT_IP_HEADER } from './create-auth.ts';

export interface AuthRequest {
  method: 'GET' | 'POST';
  /** The path below the library's base path: `/sign-in/email`. */
  path: string;
  /** The query, with its question mark. */
  search?: string;
  body?: unknown;
  /** Replaces the browser's cookies. */
  cookie?: string;
}

export interface AuthRequestContext {
  publicUrl: string;
  trustProxy: TrustProxy;
}

/** Builds a request for the sign-in library, with only the browser's headers that it needs. */
export function authRequest(
  { publicUrl, trustProxy }: AuthRequestContext,
  req: IncomingMessage,
  { method, path, search = '', body, cookie }: AuthRequest,
): Request {
  const headers = new Headers({ [CLIENT_IP_HEADER]: clientIp(req, trustProxy) });
  for (const name of ['cookie', 'origin', 'user-agent'] as const) {
    const value = req.headers[name];
    if (value !== undefined) headers.set(name, value);
  }
  if (cookie !== undefined) headers.set('cookie', cookie);
  const url = `${publicUrl}${AUTH_PATH}${path}${search}`;
  if (body === undefined) return new Request(url, { method, headers });
  headers.set('content-type', 'application/json');
  return new Request(url, { method, headers, body: JSON.stringify(body) });
}
