import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Response as BrowserResponse } from 'express';
import { gatewayUnreachable } from '../errors/availability-errors.ts';

/** The response headers that are forwarded to the browser. */
const FORWARDED = ['content-type', 'x-request-id', 'x-gateway-overhead-ms', 'retry-after', 'x-should-retry'];

export interface ChatCall {
  /** The address of the API, without /v1. */
  apiUrl: string;
  body: string;
  /** Aborts when the browser disconnects. */
  gone: AbortSignal;
  /** Returns a raw key. @param rejected the key that the gateway has just rejected */
  rawKey: (rejected?: string) => Promise<string>;
}

/**
 * Sends a chat to the gateway and streams the response to the browser with backpressure. Aborts the call when
 * the browser disconnects.
 * @throws DashboardError service_unavailable when the gateway cannot be reached
 */
export async function forwardChat(res: BrowserResponse, call: ChatCall): Promise<void> {
  const rawKey = await call.rawKey();
  let response = await send(call, rawKey);
  if (response?.status === 401) {
    // The key was revoked, or expired early.
    await response.body?.cancel();
    response = await send(call, await call.rawKey(rawKey));
  }
  if (response === undefined) return;
  res.status(response.status);
  for (const name of FORWARDED) {
    const value = response.headers.get(name);
    if (value !== null) res.setHeader(name, value);
  }
  res.flushHeaders();
  if (response.body === null) res.end();
  else await pipeline(Readable.fromWeb(response.body), res).catch(() => res.destroy());
}

/** @returns undefined if the browser disconnected */
async function send({ apiUrl, body, gone }: ChatCall, rawKey: string): Promise<Response | undefined> {
  try {
    return await fetch(`${apiUrl}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${rawKey}`,
        'content-type': 'application/json',
        'accept-encoding': 'identity',
      },
      body,
      signal: gone,
      redirect: 'error',
    });
  } catch (cause) {
    if (gone.aborted) return undefined;
    throw gatewayUnreachable(cause);
  }
}
