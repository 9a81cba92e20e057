import type { PublicError } from './public-error.ts';

export interface ErrorBody {
  error: {
    message: string;
    type: string;
    code: string;
    param: string | null;
    request_id: string;
    /** The figures of a code, e.g. `needed_usd`. */
    [detail: string]: string | number | null;
  };
}

/**
 * Writes an error in the form of one dialect: an object, or JSON that is ready. The error itself knows no
 * dialect.
 */
export type ErrorShape = (error: PublicError, requestId: string) => object | string;

/**
 * OpenAI's form of an error: the body of every answer that is not 2xx, and the last event of a stream that
 * failed.
 */
export function errorBody(error: PublicError, requestId: string): ErrorBody {
  const { message, type, code, param, details } = error;
  const standard = { message, type, code, param, request_id: requestId };
  // The standard members are there twice: in front for their order, and at the end so that details cannot
  // overwrite them.
  return { error: { ...standard, ...details, ...standard } };
}
