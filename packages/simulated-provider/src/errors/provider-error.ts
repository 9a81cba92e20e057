export interface ProviderErrorOptions {
  param?: string;
  code?: string;
  /** Response headers that belong to this error, e.g. `retry-after`. */
  headers?: Record<string, string>;
}

/** An answer in OpenAI's error shape. */
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

/** OpenAI's error body. It has no `request_id`; that one is a header there. */
export function errorBody({ status, message, param, code }: ProviderError): object {
  return { error: { message, type: errorType(status), param, code } };
}

function errorType(status: number): string {
  if (status === 429) return 'requests';
  return status >= 500 ? 'server_error' : 'invalid_request_error';
}
