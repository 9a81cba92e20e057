import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Response as BrowserResponse } from 'express';
import { z } from 'zod';
import { gatewayUnreachable } from '../errors/availability-errors.ts';

/** The response headers that are forwarded to the browser. */
const FORWARDED = ['content-type', 'x-request-id', 'x-gateway-overhead-ms', 'retry-after', 'x-should-retry'];

export interface ChatCall {
  url: string;
  body: string;
  /** Aborts when the browser disconnects. */
  gone: AbortSignal;
  /** Returns a raw key. @param rejected the key that the gateway has just rejected */
  rawKey: (rejected?: string) => Promise<string>;
  /** Returns headers that a refused chat lacks. @param code of the refusal @returns undefined: none helps */
  labels: (code: unknown) => Promise<Record<string, string> | undefined>;
}

/** Tags, then an end user. */
const MAX_LABELS = 2;
const refusal = z.object({ error: z.object({ code: z.string() }) });

/**
 * Sends a chat to the gateway and streams the response to the browser with backpressure. Aborts the call when
 * the browser disconnects.
 * @throws DashboardError service_unavailable when the gateway cannot be reached
 */
export async function forwardChat(res: BrowserResponse, call: ChatCall): Promise<void> {
  let rawKey = await call.rawKey();
  let response = await send(call, rawKey);
  if (response?.status === 401) {
    // The key was revoked, or expired early.
    await response.body?.cancel();
    rawKey = await call.rawKey(rawKey);
    response = await send(call, rawKey);
  }
  let labels = {};
  for (let sent = 0; response?.status === 400 && sent < MAX_LABELS; sent++) {
    const more = await call.labels(await codeOf(response.clone()));
    if (more === undefined) break;
    labels = { ...labels, ...more };
    await response.body?.cancel();
    response = await send(call, rawKey, labels);
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

async function codeOf(response: Response): Promise<string | undefined> {
  const body: unknown = await response.json().catch(() => undefined);
  return refusal.safeParse(body).data?.error.code;
}

/** @returns undefined if the browser disconnected */
async function send(
  { url, body, gone }: ChatCall,
  rawKey: string,
  labels: Record<string, string> = {},
): Promise<Response | undefined> {
  try {
    return await fetch(url, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${rawKey}`,
        'content-type': 'application/json',
        'accept-encoding': 'identity',
        ...labels,
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
