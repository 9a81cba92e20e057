import { ServerInterceptingCall, type ServerInterceptor, status } from '@grpc/grpc-js';
import { presentedTrace } from '@model-gateway/contracts';
import {
  newSpanId,
  newTraceId,
  parseTraceparent,
  rpcAttributes,
  SpanKind,
  type Tracer,
} from '@model-gateway/telemetry';

/** Statuses that are this server's fault. Others are mistakes of the caller, or answers. */
const SERVER_ERRORS: ReadonlySet<number> = new Set([
  status.UNKNOWN,
  status.DEADLINE_EXCEEDED,
  status.UNIMPLEMENTED,
  status.INTERNAL,
  status.UNAVAILABLE,
  status.DATA_LOSS,
]);

/**
 * Makes a span of each unary call, in the trace of its caller. Exports those that were sampled, have failed
 * or were slow. Streams run as long as the process, so they have none. Put it before all other interceptors,
 * so that their refusals count.
 * @param slowMs 0: no call is slow
 */
export function traceCalls({ exporter, names, sampler }: Tracer, slowMs: number): ServerInterceptor {
  return ({ path, requestStream, responseStream }, call) => {
    if (requestStream || responseStream) return new ServerInterceptingCall(call);
    const startedAtMs = performance.now();
    let parent: ReturnType<typeof parseTraceparent>;
    const end = (code: number) => {
      const endedAtMs = performance.now();
      const traceId = parent?.traceId ?? newTraceId();
      const isSampled = sampler(traceId, parent?.isSampled);
      const isError = SERVER_ERRORS.has(code);
      const isSlow = slowMs > 0 && endedAtMs - startedAtMs >= slowMs;
      if (!isSampled && !isError && !isSlow) return;
      const epochMs = Date.now() - endedAtMs;
      const name = status[code] ?? String(code);
      exporter.add({
        traceId,
        spanId: newSpanId(),
        parentSpanId: parent?.spanId,
        isSampled,
        name: path.replace(/^\//, ''),
        kind: SpanKind.server,
        startedAtMs: epochMs + startedAtMs,
        endedAtMs: epochMs + endedAtMs,
        attributes: {
          ...rpcAttributes(names, path, { code, name }),
          [names.errorType]: isError ? name : undefined,
          [names.keptBecause]: keptBecause(isSampled, isError),
        },
        error: isError ? '' : undefined,
      });
    };
    return new ServerInterceptingCall(call, {
      start: (next) =>
        next({
          onReceiveMetadata: (metadata, pass) => {
            parent = parseTraceparent(presentedTrace(metadata));
            pass(metadata);
          },
        }),
      sendStatus: (sent, pass) => {
        end(sent.code);
        pass(sent);
      },
    });
  };
}

function keptBecause(isSampled: boolean, isError: boolean): string {
  if (isSampled) return 'sampled';
  return isError ? 'error' : 'slow';
}
