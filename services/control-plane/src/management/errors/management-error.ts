import { PublicError, type PublicErrorOptions } from '@model-gateway/shared';
import { ERROR_CODES, type ErrorCode } from './error-codes.ts';

/** An error response of the management API. Only this folder creates them. */
export class ManagementError extends PublicError<ErrorCode> {
  override readonly name = 'ManagementError';

  constructor(code: ErrorCode, publicMessage: string, options?: PublicErrorOptions) {
    super(code, ERROR_CODES[code], publicMessage, options);
  }
}
