/** The properties that all errors of one code share. */
export interface ErrorKind {
  status: number;
  type: string;
  headers?: Readonly<Record<string, string>>;
}

export interface PublicErrorOptions {
  /** JSON path of the offending field, e.g. `messages[0].content`. */
  param?: string | undefined;
  /** Replaces the status of the code, where the provider's own is passed on. */
  status?: number;
  /** The provider's own error body, for callers of the same API. */
  providersBody?: string | undefined;
  /**
   * Whole seconds for the `Retry-After` header; 429 and 503 get 1 by default. Null: no such header, because
   * waiting does not help.
   */
  retryAfterSeconds?: number | null | undefined;
  /** Further response headers that belong to this error, e.g. `allow`. */
  headers?: Readonly<Record<string, string>>;
  /** Further members of the error object, e.g. `needed_usd`. They never replace a standard member. */
  details?: Readonly<Record<string, string | number | null>>;
  /** The internal reason. It goes to the log, never to the client. */
  cause?: unknown;
}

/** Matches a key that a caller sent in a wrong place (model id, path): responses must not repeat it. */
const RAW_KEY = /(gw_(?:live|admin|scim)_)[0-9A-Za-z]+/g;

/**
 * An error for an HTTP response, in any envelope. `message` is public and repeats no raw key, `cause` is
 * internal. A service with codes of its own has a subclass of its own.
 */
export abstract class PublicError<Code extends string = string> extends Error {
  readonly code: Code;
  readonly status: number;
  readonly type: string;
  readonly param: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly details: Readonly<Record<string, string | number | null>>;
  readonly providersBody: string | undefined;

  constructor(code: Code, kind: ErrorKind, publicMessage: string, options: PublicErrorOptions = {}) {
    const { cause } = options;
    super(publicMessage.replace(RAW_KEY, '$1[redacted]'), cause === undefined ? undefined : { cause });
    this.code = code;
    this.status = options.status ?? kind.status;
    this.type = kind.type;
    this.param = options.param ?? null;
    this.headers = {
      ...kind.headers,
      ...retryAfter(this.status, options.retryAfterSeconds),
      ...options.headers,
    };
    this.details = options.details ?? {};
    this.providersBody = options.providersBody;
  }
}

function retryAfter(status: number, seconds: number | null | undefined): Record<string, string> {
  if ((status !== 429 && status !== 503) || seconds === null) return {};
  return { 'retry-after': String(seconds ?? 1) };
}
