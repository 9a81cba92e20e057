/** An error response of the dashboard's server, or a network failure. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** The HTTP status; 0: no response. */
  readonly status: number;
  readonly code: string;
  /** The field that is wrong. */
  readonly param: string | null;
  readonly requestId: string | null;
  readonly retryAfterSeconds: number | null;
  /** True if the server sent `x-should-retry: false`. */
  readonly isRetryUseless: boolean;

  constructor(
    message: string,
    details: {
      status: number;
      code: string;
      param?: string | null;
      requestId?: string | null;
      retryAfterSeconds?: number | null;
      isRetryUseless?: boolean;
    },
  ) {
    super(message);
    this.status = details.status;
    this.code = details.code;
    this.param = details.param ?? null;
    this.requestId = details.requestId ?? null;
    this.retryAfterSeconds = details.retryAfterSeconds ?? null;
    this.isRetryUseless = details.isRetryUseless ?? false;
  }
}

const unreachable = 'The dashboard cannot be reached. Check your connection; this page tries again.';
const unknownFailure = 'The dashboard could not do this. Try again in a minute.';

export function networkError(): ApiError {
  return new ApiError(unreachable, { status: 0, code: 'unreachable' });
}

/**
 * Reads the error from our envelope or the sign-in library's (`{ message, code }`). Any other body, such as a
 * proxy's page, gets a general message.
 */
export async function errorOf(response: Response): Promise<ApiError> {
  const body: unknown = await response.json().catch(() => undefined);
  const outer = fieldsOf(body);
  const inner = fieldsOf(outer.error);
  const fields = 'message' in inner ? inner : outer;
  return new ApiError(textOf(fields.message) ?? unknownFailure, {
    status: response.status,
    code: textOf(fields.code) ?? 'unknown',
    param: textOf(fields.param),
    requestId: textOf(fields.request_id) ?? response.headers.get('x-request-id'),
    retryAfterSeconds: Number(response.headers.get('retry-after')) || null,
    isRetryUseless: response.headers.get('x-should-retry') === 'false',
  });
}

/** Returns the fields of an object of unknown form; none for any other value. */
export function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
