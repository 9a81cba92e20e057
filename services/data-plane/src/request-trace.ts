import { type CallTrace, callInTrace } from '@model-gateway/contracts';
import { formatTraceparent, newSpanId, type TraceContext } from '@model-gateway/telemetry';

/**
 * A call to the control plane or to Redis that a request waited for. Times are `performance.now()`
 * milliseconds.
 */
export interface TracedCall {
  spanId: string;
  /** `package.Service/Method`; for Redis the command and the name of its script. */
  path: string;
  isRedis?: true;
  startedAtMs: number;
  endedAtMs?: number;
  failure?: unknown;
}

/** A check by a guardrail that the request waited for. */
export interface TracedCheck {
  readonly spanId: string;
  readonly guardrail: string;
  readonly direction: string;
  /** True if a service makes the check. */
  readonly isRemote: boolean;
  readonly startedAtMs: number;
  endedAtMs?: number;
  /** Undefined if the request ended before the check. */
  outcome?: string;
}

/** Bounds the spans of a request: a long stream is checked sentence by sentence. */
const MAX_TRACED_CHECKS = 64;

/** Facts that a provider's response states. */
export interface ResponseFacts {
  id: string | undefined;
  /** One for each choice; undefined: none is known. */
  finishReasons: readonly string[] | undefined;
}

/** Remembers what a provider responds, for the span of an attempt. */
export interface TracedResponse {
  addWhole(value: unknown): void;
  addEvents(events: readonly string[]): void;
  read(): ResponseFacts;
}

/** A body that is stored; without a text: media. */
export interface TracedBody {
  text?: Buffer;
}

/** The check of a request's limits. */
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
  readonly checks: TracedCheck[] = [];
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
   * Starts work that may call the control plane. Without a promise, the request waited for no call.
   * @param path `package.Service/Method`
   */
  call<Value>(path: string, start: () => Value | Promise<Value>): Value | Promise<Value> {
    const waiting = new WaitingCall(this, path);
    const result = callInTrace(waiting, start);
    if (!(result instanceof Promise)) {
      waiting.end();
      return result;
    }
    return untilEnded(waiting.call(), result).finally(() => waiting.end());
  }

  /** Remembers a check for its span. @returns undefined after the first 64 checks */
  startCheck(facts: Pick<TracedCheck, 'guardrail' | 'direction' | 'isRemote'>): TracedCheck | undefined {
    if (this.checks.length === MAX_TRACED_CHECKS) return undefined;
    const check = { ...facts, spanId: newSpanId(), startedAtMs: performance.now() };
    this.checks.push(check);
    return check;
  }

  /** Follows a script of Redis that the request waits for. */
  script<Value>(name: string, running: Promise<Value>): Promise<Value> {
    const call: TracedCall = {
      ...{ spanId: newSpanId(), path: `EVALSHA ${name}`, isRedis: true },
      startedAtMs: performance.now(),
    };
    this.calls.push(call);
    return untilEnded(call, running);
  }
}

function untilEnded<Value>(call: TracedCall, result: Promise<Value>): Promise<Value> {
  return result
    .catch((failure: unknown) => {
      call.failure = failure;
      throw failure;
    })
    .finally(() => {
      call.endedAtMs = performance.now();
    });
}

/** A call that a request may have to wait for. Nearly always the result is at hand, and no call is made. */
class WaitingCall implements CallTrace {
  readonly #trace: RequestTrace;
  readonly #path: string;
  readonly #startedAtMs = performance.now();
  #call: TracedCall | undefined;
  #isOver = false;

  constructor(trace: RequestTrace, path: string) {
    this.#trace = trace;
    this.#path = path;
  }

  traceparent(): string | undefined {
    return this.#isOver ? undefined : this.#trace.traceparent(this.call().spanId);
  }

  /** From now on, calls that go on in the background belong to no request. */
  end(): void {
    this.#isOver = true;
    if (this.#call !== undefined) this.#call.endedAtMs ??= performance.now();
  }

  /** Adds the call to those of the request, once. */
  call(): TracedCall {
    if (this.#call === undefined) {
      this.#call = { spanId: newSpanId(), path: this.#path, startedAtMs: this.#startedAtMs };
      this.#trace.calls.push(this.#call);
    }
    return this.#call;
  }
}
