import { ERROR_CODES, type ErrorCode } from './error-codes.ts';

export interface DashboardErrorOptions {
  /** The field that is wrong. */
  param?: string;
  /** Whole seconds for the `Retry-After` header. For 429 and 503 it is 1 if nothing better is known. */
  retryAfterSeconds?: number;
  /** Further response headers that belong to this error, e.g. `allow`. */
  headers?: Record<string, string>;
  /** What really happened, for the log. The browser never gets it. */
  cause?: unknown;
}

/** The one error class: `message` is shown to the user, `cause` is internal. */
export class DashboardError extends Error {
  override readonly name = 'DashboardError';
  readonly code: ErrorCode;
  readonly status: number;
  readonly type: string;
  readonly param: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly details = {};

  constructor(code: ErrorCode, publicMessage: string, options: DashboardErrorOptions = {}) {
    super(publicMessage, options.cause === undefined ? undefined : { cause: options.cause });
    const { status, type } = ERROR_CODES[code];
    this.code = code;
    this.status = status;
    this.type = type;
    this.param = options.param ?? null;
    const retryAfter = { 'retry-after': String(options.retryAfterSeconds ?? 1) };
    this.headers = { ...(status === 429 || status === 503 ? retryAfter : {}), ...options.headers };
  }
}
