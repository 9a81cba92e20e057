import { callInTrace } from '@model-gateway/contracts';
import { formatTraceparent, newSpanId, type TraceContext } from '@model-gateway/telemetry';

/** A call to the control plane that a request waited for. Times are `performance.now()` milliseconds. */
export interface TracedCall {
  spanId: string;
  /** `package.Service/Method`. */
  path: string;
  startedAtMs: number;
  endedAtMs?: number;
  failure?: unknown;
}

/** A body that is stored; without a text: media. */
export interface TracedBody {
  text?: Buffer;
}

/** How the limits of a request were checked. */
export interface TracedAdmission {
  outcome: string;
  decidedBy: string;
}

/**
 * The trace of one request: its ids, and the times of its steps by `performance.now()`, from which spans are
 * made once it has ended. Exists only if traces are exported.
 */
export class RequestTrace implements TraceContext {
  readonly traceId: string;
  readonly spanId = newSpanId();
  readonly parentSpanId: string | undefined;
  readonly traceState: string | undefined;
  readonly isSampled: boolean;
  readonly calls: TracedCall[] = [];
  admissionStartedAtMs: number | undefined;
  admittedAtMs: number | undefined;
  admission: TracedAdmission | undefined;
  reservedAtMs: number | undefined;
  settledAtMs: number | undefined;
  /** Set if the contents of the request are stored, and exported. */
  bodies: { request: TracedBody; response: TracedBody } | undefined;

  constructor(
    { traceId, isSampled }: Omit<TraceContext, 'spanId'>,
    parentSpanId?: string,
    traceState?: string,
  ) {
    this.traceId = traceId;
    this.isSampled = isSampled;
    this.parentSpanId = parentSpanId;
    this.traceState = traceState;
  }

  /** Returns the `traceparent` of a call. @param spanId of the span of that call */
  traceparent(spanId: string): string {
    return formatTraceparent({ traceId: this.traceId, spanId, isSampled: this.isSampled });
  }

  /**
   * Starts what may call the control plane. Without a promise there was no call.
   * @param path `package.Service/Method`
   */
  call<Value>(path: string, start: () => Value | Promise<Value>): Value | Promise<Value> {
    const spanId = newSpanId();
    const startedAtMs = performance.now();
    const result = callInTrace(this.traceparent(spanId), start);
    if (!(result instanceof Promise)) return result;
    const call: TracedCall = { spanId, path, startedAtMs };
    this.calls.push(call);
    return result
      .catch((failure: unknown) => {
        call.failure = failure;
        throw failure;
      })
      .finally(() => {
        call.endedAtMs = performance.now();
      });
  }
}
