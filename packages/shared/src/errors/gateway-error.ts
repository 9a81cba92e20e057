import { ERROR_CODES, type ErrorCode } from './error-codes.ts';

export interface GatewayErrorOptions {
  /** JSON path of the offending field, e.g. `messages[0].content`. */
  param?: string;
  /** Overrides the code's status; only `upstream_rejected` needs it (400, 413 or 422 as the provider said). */
  status?: number;
  /**
   * Whole seconds for the `Retry-After` header; 429 and 503 get 1 when nothing better is known. Null: there is
   * no such header, because waiting does not help.
   */
  retryAfterSeconds?: number | null;
  /** Further response headers that belong to this error, e.g. `allow`. */
  headers?: Record<string, string>;
  /** Further members of the error object, e.g. `needed_usd`; one that is named like a standard member is lost. */
  details?: Record<string, string | number | null>;
  /** What really happened: for the log, never for the client. */
  cause?: unknown;
}

/** The one error class: `message` is public, `cause` is internal. */
export class GatewayError extends Error {
  override readonly name = 'GatewayError';
  readonly code: ErrorCode;
  readonly status: number;
  readonly type: string;
  readonly param: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly details: Readonly<Record<string, string | number | null>>;

  constructor(code: ErrorCode, publicMessage: string, options: GatewayErrorOptions = {}) {
    super(publicMessage, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.status = options.status ?? ERROR_CODES[code].status;
    this.type = ERROR_CODES[code].type;
    this.param = options.param ?? null;
    this.headers = { ...standardHeaders(this.status, options.retryAfterSeconds), ...options.headers };
    this.details = options.details ?? {};
  }
}

function standardHeaders(
  status: number,
  retryAfterSeconds: number | null | undefined,
): Record<string, string> {
  if (status === 401) return { 'www-authenticate': 'Bearer' };
  if ((status !== 429 && status !== 503) || retryAfterSeconds === null) return {};
  return { 'retry-after': String(retryAfterSeconds ?? 1) };
}
