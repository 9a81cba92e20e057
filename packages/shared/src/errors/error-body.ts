import type { GatewayError } from './gateway-error.ts';

export interface ErrorBody {
  error: {
    message: string;
    type: string;
    code: string;
    param: string | null;
    request_id: string;
  };
}

/** The envelope of every answer that is not 2xx, and of the last event of a stream that failed. */
export function errorBody(error: GatewayError, requestId: string): ErrorBody {
  return {
    error: {
      message: error.message,
      type: error.type,
      code: error.code,
      param: error.param,
      request_id: requestId,
    },
  };
}
