import type { PublicError } from './public-error.ts';

export interface ErrorBody {
  error: {
    message: string;
    type: string;
    code: string;
    param: string | null;
    request_id: string;
    /** What a code says in figures, e.g. `needed_usd`. */
    [detail: string]: string | number | null;
  };
}

/** How callers of one dialect are told of an error; the error itself knows none. */
export type ErrorShape = (error: PublicError, requestId: string) => object;

/** OpenAI's shape: of every answer that is not 2xx, and of the last event of a stream that failed. */
export function errorBody(error: PublicError, requestId: string): ErrorBody {
  const { message, type, code, param, details } = error;
  const standard = { message, type, code, param, request_id: requestId };
  // First so that they come first, last so that they cannot be overwritten.
  return { error: { ...standard, ...details, ...standard } };
}
