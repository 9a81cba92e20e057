export interface ProviderErrorOptions {
  param?: string;
  code?: string;
  /** Response headers that belong to this error, e.g. `retry-after`. */
  headers?: Record<string, string>;
}

/** A refusal, which each protocol writes in its own shape. */
export class ProviderError extends Error {
  override readonly name = 'ProviderError';
  readonly status: number;
  readonly param: string | null;
  readonly code: string | null;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, message: string, options: ProviderErrorOptions = {}) {
    super(message);
    this.status = status;
    this.param = options.param ?? null;
    this.code = options.code ?? null;
    this.headers = options.headers ?? {};
  }
}
