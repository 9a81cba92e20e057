import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import {
  clientIp,
  clientRequestId,
  type Logger,
  requestIdOf,
  StopSwitch,
  type TrustProxy,
} from '@model-gateway/service-kit';
import { GatewayError, toGatewayError } from '@model-gateway/shared';
import { hideUpstream } from '@model-gateway/shared/errors';
import type { DataPlaneMetrics } from '../observability/data-plane-metrics.ts';
import { logIds } from '../observability/log-ids.ts';
import type { RefusalReports } from '../refusals/refusal-reports.ts';
import type { RequestRecord } from '../request-record.ts';
import type { RequestTrace } from '../request-trace.ts';
import { type AccessLog, createAccessLog, loggedStatus } from './access-log.ts';
import { type CallerProtocol, OPENAI_CALLER } from './caller-protocol.ts';
import { ClientGone, type Exchange } from './exchange.ts';

export interface ServeContext {
  trustProxy: TrustProxy;
  /** True while the process stops: responses then close their connection. */
  drain: { readonly started: boolean };
  streamTimings: { readonly clientStallMs: number };
  metrics: Pick<DataPlaneMetrics, 'requests' | 'duration'>;
  heldRequests: { settleAbandoned(record: RequestRecord): void };
  /** Undefined: traces are not exported. */
  tracing: RequestTracing | undefined;
  refusals: Pick<RefusalReports, 'count'>;
  log: Logger;
  /** True if errors do not name providers or repeat their words. */
  hidesUpstreams: boolean;
}

/** Follows requests in traces. */
export interface RequestTracing {
  begin(req: IncomingMessage): RequestTrace;
  end(record: RequestRecord, ended: { method: string; status: number; endedAtMs: number }): void;
}

/**
 * Runs the steps of a route and writes whatever error they throw. The access line follows the last byte and
 * the end of the steps.
 * @param route the pattern, for the log and the metrics
 * @param caller the API that errors are written in, or a function that picks it
 */
export function serveExchange(
  context: ServeContext,
  route: string,
  steps: (exchange: Exchange) => Promise<void> | void,
  caller: CallerProtocol | ((req: IncomingMessage) => CallerProtocol) = OPENAI_CALLER,
): RequestListener {
  const callerOf = typeof caller === 'function' ? caller : () => caller;
  const accessLog = createAccessLog(context.log);
  return async (req, res) => {
    const exchange = openExchange(context, route, callerOf(req), req, res);
    let isRunning = true;
    // Runs once, when both the steps and the response have ended.
    const end = () => {
      exchange.ends.push(() => close(context, exchange, accessLog));
      endAll(context, exchange);
    };
    res.on('close', () => {
      if (!res.writableFinished) exchange.stop.abort(new ClientGone());
      if (!isRunning) end();
    });
    try {
      await run(context, steps, exchange);
    } finally {
      isRunning = false;
      if (res.closed) end();
      // Node cuts a connection that idles this long, and resets the timeout after the response.
      else if (!isFlushed(req, res)) req.socket.setTimeout(context.streamTimings.clientStallMs);
    }
  };
}

async function run(
  { hidesUpstreams }: ServeContext,
  steps: (exchange: Exchange) => Promise<void> | void,
  exchange: Exchange,
): Promise<void> {
  try {
    await steps(exchange);
  } catch (thrown) {
    if (thrown instanceof ClientGone) return;
    const { caller, record, res } = exchange;
    const hasBegun = res.headersSent;
    record.error = toGatewayError(thrown);
    caller.writeError(res, hidesUpstreams ? hideUpstream(record.error) : record.error);
    // Nothing ends a response that has begun when the gateway itself fails. Show that it is incomplete.
    if (hasBegun && !res.writableEnded && !(thrown instanceof GatewayError)) res.destroy();
  }
}

/** Returns true if the kernel has taken the whole response, as it does nearly always for a small one. */
function isFlushed({ socket }: IncomingMessage, { writableEnded }: ServerResponse): boolean {
  return writableEnded && socket.writableLength === 0;
}

function openExchange(
  context: ServeContext,
  route: string,
  caller: CallerProtocol,
  req: IncomingMessage,
  res: ServerResponse,
): Exchange {
  if (context.drain.started) res.setHeader('connection', 'close');
  const id = requestIdOf(res);
  if (caller.requestIdHeader !== undefined) res.setHeader(caller.requestIdHeader, id);
  const record = {
    id,
    clientRequestId: clientRequestId(req),
    route,
    startedAtMs: performance.now(),
    clientIp: clientIp(req, context.trustProxy),
    trace: context.tracing?.begin(req),
    affinity: 'none' as const,
    streamed: false,
    attempts: [],
  };
  return { req, res, record, caller, stop: new StopSwitch(), ends: [] };
}

/** Runs every `ends` callback, even if one of them throws. */
function endAll({ log }: ServeContext, { ends, record }: Exchange): void {
  for (const end of ends) {
    try {
      end();
    } catch (error) {
      log.error({ ...logIds(record), error }, 'a cleanup callback of a request failed');
    }
  }
  ends.length = 0;
}

function close(context: ServeContext, exchange: Exchange, accessLog: AccessLog): void {
  const { record } = exchange;
  const endedAtMs = performance.now();
  record.isEnded = true;
  context.heldRequests.settleAbandoned(record);
  const status = loggedStatus(exchange);
  context.metrics.requests.labels(record.route, String(status), record.error?.code ?? '').inc();
  context.metrics.duration.labels(record.route).observe((endedAtMs - record.startedAtMs) / 1_000);
  if (record.error !== undefined) context.refusals.count(record, record.error);
  if (record.error?.code === 'internal_error') {
    context.log.error({ ...logIds(record), error: record.error.cause }, 'unexpected failure');
  }
  // Health checks would fill the log.
  if (record.route === '/health') return;
  accessLog(exchange, endedAtMs);
  context.tracing?.end(record, { method: exchange.req.method ?? '', status, endedAtMs });
}
