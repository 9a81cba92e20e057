import { GrpcStatus, grpcStatus } from '@model-gateway/contracts';
import { inBackground } from '@model-gateway/service-kit';

/** Maximum entries of one call; the control plane rejects more. */
const MAX_BATCH = 100;
/** Requests that arrive during a call wait for its end, but no longer than this. */
const IN_FLIGHT_WAIT_MS = 2;
/** Requests that no caller waits for are batched for this long. */
const BATCH_MS = 20;
/** Errors that one entry of a batch can cause. Others, such as an outage, would hit each entry alike. */
const ERRORS_OF_ONE_ENTRY = new Set<GrpcStatus | undefined>([
  GrpcStatus.INTERNAL,
  GrpcStatus.INVALID_ARGUMENT,
]);

export interface BatchableCalls<Request, Response> {
  /** @returns one response per request, in order; undefined where the batch has none */
  batch(requests: readonly Request[]): Promise<(Response | undefined)[]>;
  single(request: Request): Promise<Response>;
}

interface Waiting<Request, Response> {
  request: Request;
  resolve: (response: Response | Promise<Response>) => void;
  reject: (error: unknown) => void;
}

/**
 * Batches requests that arrive in one tick of the event loop, or while a call runs. An entry that the batch
 * response omits, or that may have failed because of another, is sent again by itself.
 */
export class BatchedCalls<Request, Response> {
  readonly #calls: BatchableCalls<Request, Response>;
  #waiting: Waiting<Request, Response>[] = [];
  #isUrgent = false;
  #inFlight = 0;
  #timer: NodeJS.Timeout | undefined;
  #dueAtMs = Number.POSITIVE_INFINITY;

  constructor(calls: BatchableCalls<Request, Response>) {
    this.#calls = calls;
  }

  /**
   * Adds a request to the next batch. @param isUrgent true if a caller waits for it. @throws what the calls
   * throw
   */
  add(request: Request, isUrgent: boolean): Promise<Response> {
    const { promise, resolve, reject } = Promise.withResolvers<Response>();
    this.#waiting.push({ request, resolve, reject });
    if (isUrgent) this.sendSoon();
    else this.#sendIn(BATCH_MS);
    return promise;
  }

  /** Call this when a caller waits for a request that was added as not urgent. */
  sendSoon(): void {
    if (this.#waiting.length === 0) return;
    this.#isUrgent = true;
    this.#sendIn(this.#inFlight === 0 ? 0 : IN_FLIGHT_WAIT_MS);
  }

  #sendIn(ms: number): void {
    const dueAtMs = performance.now() + ms;
    if (dueAtMs >= this.#dueAtMs) return;
    this.#dueAtMs = dueAtMs;
    clearTimeout(this.#timer);
    if (ms === 0) setImmediate(() => this.#send());
    else this.#timer = setTimeout(() => this.#send(), ms);
  }

  #send(): void {
    clearTimeout(this.#timer);
    this.#dueAtMs = Number.POSITIVE_INFINITY;
    const batch = this.#waiting.splice(0, MAX_BATCH);
    this.#isUrgent &&= this.#waiting.length > 0;
    if (batch.length === 0) return;
    this.#inFlight += 1;
    if (this.#waiting.length > 0) this.#sendIn(IN_FLIGHT_WAIT_MS);
    const sent = this.#sendBatch(batch).finally(() => {
      this.#inFlight -= 1;
      if (this.#inFlight === 0 && this.#isUrgent) this.#send();
    });
    inBackground(sent);
  }

  /** Resolves after the batch call, without waiting for entries that are sent again alone. */
  async #sendBatch(batch: readonly Waiting<Request, Response>[]): Promise<void> {
    try {
      const responses = await this.#calls.batch(batch.map(({ request }) => request));
      for (const [index, { request, resolve }] of batch.entries()) {
        resolve(responses[index] ?? this.#calls.single(request));
      }
    } catch (error) {
      const status = grpcStatus(error);
      for (const { request, resolve, reject } of batch) {
        if (ERRORS_OF_ONE_ENTRY.has(status)) resolve(this.#calls.single(request));
        else reject(error);
      }
    }
  }
}
