import type { IncomingMessage, ServerResponse } from 'node:http';
import { requestIdOf } from '../http/request-id.ts';
import type { Logger } from './logger.ts';
import type { createRequestMetrics } from './request-metrics.ts';

export interface ObserveRequestContext {
  log: Logger;
  metrics: ReturnType<typeof createRequestMetrics>;
}

export interface ObservedRequest {
  route: string;
  clientIp: string;
  /** Further fields of the access line, which are known when the request ends. */
  notes?: () => Record<string, unknown>;
}

/** Counts a request and writes its access line after the last byte. The line has no query, body or header. */
export function observeRequest(
  { log, metrics }: ObserveRequestContext,
  { route, clientIp, notes }: ObservedRequest,
  req: IncomingMessage,
  res: ServerResponse,
): void {
  const startedAtMs = performance.now();
  res.once('close', () => {
    const durationMs = performance.now() - startedAtMs;
    metrics.requests.labels(route, String(res.statusCode)).inc();
    metrics.duration.labels(route).observe(durationMs / 1_000);
    if (route === '/health') return;
    log.info(
      {
        request_id: requestIdOf(res),
        method: req.method,
        route,
        status: res.statusCode,
        duration_ms: Math.round(durationMs * 100) / 100,
        ...notes?.(),
        client_ip: clientIp,
      },
      'request',
    );
  });
}
