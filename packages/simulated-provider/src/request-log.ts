import type { IncomingHttpHeaders } from 'node:http';

export interface ExchangeEnd {
  /** performance.now() */
  atMs: number;
  /** `client_closed`: the client went away before the answer was complete. */
  reason: 'completed' | 'client_closed';
}

export interface RecordedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly bodyBytes: Buffer;
  /** The same as text: UTF-8, or latin1 for a form, which may contain a file. */
  readonly bodyText: string;
  /** Parsed JSON, or the fields of a form. Undefined if it is neither, or if the upload was cut off. */
  readonly body: unknown;
  /** performance.now() when the request's headers arrived. */
  readonly receivedAtMs: number;
  readonly closed: Promise<ExchangeEnd>;
}

export type RequestPredicate = (request: RecordedRequest) => boolean;

interface Waiter {
  isMatch: RequestPredicate;
  resolve: (request: RecordedRequest) => void;
  reject: (reason: Error) => void;
}

/** The requests of a provider, oldest first. */
export class RequestLog {
  readonly requests: RecordedRequest[] = [];
  readonly #keep: number;
  #waiters: Waiter[] = [];

  /** @param keep how many requests it holds before it drops the oldest */
  constructor(keep: number) {
    this.#keep = keep;
  }

  add(request: RecordedRequest): void {
    this.requests.push(request);
    if (this.requests.length > this.#keep) this.requests.shift();
    for (const { isMatch, resolve } of this.#waiters) if (isMatch(request)) resolve(request);
    this.#waiters = this.#waiters.filter(({ isMatch }) => !isMatch(request));
  }

  /** Resolves to the first request that matches, past or future. @throws if the log is closed first */
  waitFor(isMatch: RequestPredicate = () => true): Promise<RecordedRequest> {
    const known = this.requests.find(isMatch);
    if (known !== undefined) return Promise.resolve(known);
    return new Promise((resolve, reject) => this.#waiters.push({ isMatch, resolve, reject }));
  }

  clear(): void {
    this.requests.length = 0;
  }

  close(): void {
    const reason = new Error('the simulated provider was closed before such a request arrived');
    for (const { reject } of this.#waiters) reject(reason);
    this.#waiters = [];
  }
}
