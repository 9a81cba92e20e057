import type { SettleBatchMessage } from '@model-gateway/contracts';
import { newSpanId, newTraceId, parseTraceparent, SpanKind, type Tracer } from '@model-gateway/telemetry';
import { ControlPlaneError } from '../errors/control-plane-error.ts';
import { databaseFailureOf } from '../errors/database-failure.ts';

export interface BatchTracer extends Pick<Tracer, 'exporter' | 'names'> {
  /** OTEL_SLOW_REQUEST_MS; 0: no batch is slow. */
  slowMs: number;
}

/**
 * Makes a span of a batch that was settled, in a trace of its own: its requests belong to many. It links to
 * those that are sampled. Other batches are exported only if they failed or were slow.
 * @param startedAtMs by `performance.now()`
 * @param failure undefined: the batch is committed
 */
export function traceBatch(
  { exporter, names, slowMs }: BatchTracer,
  { records }: SettleBatchMessage,
  startedAtMs: number,
  failure?: unknown,
): void {
  const links = records.map(({ traceparent }) => parseTraceparent(traceparent)).filter(isDefined);
  const endedAtMs = performance.now();
  const isSlow = slowMs > 0 && endedAtMs - startedAtMs >= slowMs;
  if (links.length === 0 && failure === undefined && !isSlow) return;
  const epochMs = Date.now() - endedAtMs;
  const unsampled = failure === undefined ? 'slow' : 'error';
  exporter.add({
    traceId: newTraceId(),
    spanId: newSpanId(),
    isSampled: links.length > 0,
    name: 'gateway.settle_batch',
    kind: SpanKind.consumer,
    startedAtMs: epochMs + startedAtMs,
    endedAtMs: epochMs + endedAtMs,
    attributes: {
      [names.batchSize]: records.length,
      [names.errorType]: failure === undefined ? undefined : errorTypeOf(failure),
      [names.keptBecause]: links.length > 0 ? 'sampled' : unsampled,
    },
    links,
    error: failure === undefined ? undefined : '',
  });
}

function isDefined<Value>(value: Value | undefined): value is Value {
  return value !== undefined;
}

function errorTypeOf(failure: unknown): string {
  if (failure instanceof ControlPlaneError) return failure.code;
  return databaseFailureOf(failure) ?? '_OTHER';
}
