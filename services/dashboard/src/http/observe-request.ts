import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  type Counter,
  clientIp,
  type Histogram,
  type Logger,
  requestIdOf,
  type TrustProxy,
} from '@model-gateway/service-kit';

export interface ObserveContext {
  log: Logger;
  trustProxy: TrustProxy;
  metrics: { requests: Counter<'route' | 'status'>; duration: Histogram<'route'> };
}

const accountIds = new WeakMap<ServerResponse, string>();

/** Names the account in the access line. */
export function noteAccount(res: ServerResponse, accountId: string): void {
  accountIds.set(res, accountId);
}

/** Counts the request and writes its access line after the last byte: no query, no body, no header. */
export function observeRequest(
  { log, metrics, trustProxy }: ObserveContext,
  route: string,
  req: IncomingMessage,
  res: ServerResponse,
): void {
  const startedAtMs = performance.now();
  const address = clientIp(req, trustProxy);
  res.once('close', () => {
    const durationMs = performance.now() - startedAtMs;
    metrics.requests.inc({ route, status: String(res.statusCode) });
    metrics.duration.observe({ route }, durationMs / 1_000);
    if (route === '/health') return;
    log.info(
      {
        request_id: requestIdOf(res),
        method: req.method,
        route,
        status: res.statusCode,
        duration_ms: Math.round(durationMs * 100) / 100,
        account_id: accountIds.get(res),
        client_ip: address,
      },
      'request',
    );
  });
}
