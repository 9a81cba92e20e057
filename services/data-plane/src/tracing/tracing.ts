import type { IncomingMessage } from 'node:http';
import {
  newTraceId,
  parseTraceparent,
  parseTracestate,
  TRACEPARENT,
  TRACESTATE,
} from '@model-gateway/telemetry';
import type { RequestRecord } from '../request-record.ts';
import { RequestTrace } from '../request-trace.ts';
import { CallerTraces } from './caller-traces.ts';
import { requestSpans, settlementSpan } from './request-spans.ts';
import type { Ended, KeptBecause, TracingOptions } from './span-context.ts';

const SWITCHING_PROTOCOLS = 101;

/** Follows requests in traces, and exports those that were sampled, have failed or were slow. */
export class Tracing {
  readonly #options: TracingOptions;
  readonly #callerTraces: CallerTraces;

  constructor(options: TracingOptions) {
    this.#options = options;
    this.#callerTraces = new CallerTraces(options.callerTracesPerSecond);
  }

  /** Joins the trace of the caller, or starts one. */
  begin({ headers }: Pick<IncomingMessage, 'headers'>): RequestTrace {
    const parent = parseTraceparent(headers[TRACEPARENT]);
    const traceId = parent?.traceId ?? newTraceId();
    const isSampled = this.#options.sampler(traceId, parent?.isSampled);
    const traceState = parent && parseTracestate(headers[TRACESTATE]);
    return new RequestTrace({ traceId, isSampled }, parent?.spanId, traceState);
  }

  /** Exports the spans of a request. Call it when its exchange has ended. */
  end(record: RequestRecord, ended: Ended): void {
    const { trace } = record;
    if (trace === undefined) return;
    const keptBecause = this.#keptBecause(record, trace, ended);
    if (keptBecause !== undefined) this.#export(record, trace, { ended, keptBecause });
    // The record may live on until its cost is committed, and copies of responses are large.
    trace.bodies = undefined;
    for (const attempt of record.attempts) attempt.traced = undefined;
  }

  #export(
    record: RequestRecord,
    trace: RequestTrace,
    kept: { ended: Ended; keptBecause: KeptBecause },
  ): void {
    const { exporter } = this.#options;
    // In an outage every request fails, and most of the spans would only be dropped.
    if (exporter.isFull) {
      exporter.countDropped(1);
      return;
    }
    // One offset, so that all spans of the request fit together.
    const epochMs = Date.now() - performance.now();
    const context = { ...this.#options, ...kept, trace, epochMs };
    for (const span of requestSpans(record, context)) exporter.add(span);
    // The commit follows the response. A record that is lost never commits, and then has no span.
    record.settled?.committed.then(
      () => exporter.add(settlementSpan(trace, context, performance.now())),
      () => undefined,
    );
  }

  #keptBecause(
    record: RequestRecord,
    trace: RequestTrace,
    { endedAtMs, status }: Ended,
  ): KeptBecause | undefined {
    if (trace.isSampled && this.#mayExport(record, trace, endedAtMs)) return 'sampled';
    if (status >= 500 || (record.error?.status ?? 0) >= 500) return 'error';
    if (record.attempts.some(({ outcome }) => outcome === 'failed')) return 'error';
    const { slowMs } = this.#options;
    // A WebSocket stays open for hours.
    if (status === SWITCHING_PROTOCOLS) return undefined;
    return slowMs > 0 && endedAtMs - record.startedAtMs >= slowMs ? 'slow' : undefined;
  }

  #mayExport({ key }: RequestRecord, { parentSpanId, spanId }: RequestTrace, nowMs: number): boolean {
    // The caller of a joined trace has chosen its id, so the gateway's own choice is made by its own digits.
    if (parentSpanId === undefined || this.#options.sampler(spanId, undefined)) return true;
    return this.#callerTraces.take(key?.keyId ?? '', nowMs);
  }
}
