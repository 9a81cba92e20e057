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

/** Serializes an error in the form of one caller API, as an object or as finished JSON. */
export type ErrorShape = (error: PublicError, requestId: string) => object | string;

/**
 * OpenAI's form of an error: the body of every answer that is not 2xx, and the last event of a stream that
 * failed.
 */
export function errorBody(error: PublicError, requestId: string): ErrorBody {
  const { message, type, code, param, details } = error;
  const standard = { message, type, code, param, request_id: requestId };
  // The standard members come first for their order, and again last so that details cannot overwrite them.
  return { error: { ...standard, ...details, ...standard } };
}
