export interface ProviderErrorOptions {
  param?: string;
  code?: string | undefined;
  /** Machine-readable details, if the protocol has them. */
  details?: object;
  /** Response headers that belong to this error, e.g. `retry-after`. */
  headers?: Record<string, string>;
}

/** An error response. Each protocol serializes it in its own form. */
export class ProviderError extends Error {
  override readonly name = 'ProviderError';
  readonly status: number;
  readonly param: string | null;
  readonly code: string | null;
  readonly details: object | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, message: string, options: ProviderErrorOptions = {}) {
    super(message);
    this.status = status;
    this.param = options.param ?? null;
    this.code = options.code ?? null;
    this.details = options.details;
    this.headers = options.headers ?? {};
  }
}

/** @throws ProviderError 400 */
export function refuse(message: string): never {
  throw new ProviderError(400, message);
}
