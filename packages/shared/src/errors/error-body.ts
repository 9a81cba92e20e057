/** What an error shows of itself; GatewayError, or a service's own error class with its own codes. */
export interface ShownError {
  /** Public. */
  message: string;
  type: string;
  code: string;
  param: string | null;
  details: Readonly<Record<string, string | number | null>>;
}

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

/** A caller's key may stand in what it sent (a model id, a path); an answer must not repeat it. */
const RAW_KEY = /gw_live_[0-9A-Za-z]+/g;

/** The envelope of every answer that is not 2xx, and of the last event of a stream that failed. */
export function errorBody(error: ShownError, requestId: string): ErrorBody {
  const standard = {
    message: error.message.replace(RAW_KEY, 'gw_live_[redacted]'),
    type: error.type,
    code: error.code,
    param: error.param,
    request_id: requestId,
  };
  // First so that they come first, last so that they cannot be overwritten.
  return { error: { ...standard, ...error.details, ...standard } };
}
