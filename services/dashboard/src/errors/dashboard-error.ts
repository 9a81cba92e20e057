import { PublicError, type PublicErrorOptions } from '@model-gateway/shared';
import { ERROR_CODES, type ErrorCode } from './error-codes.ts';

/** An error response of the dashboard's server. Only this folder creates them. */
export class DashboardError extends PublicError<ErrorCode> {
  override readonly name = 'DashboardError';

  constructor(code: ErrorCode, publicMessage: string, options?: PublicErrorOptions) {
    super(code, ERROR_CODES[code], publicMessage, options);
  }
}
