import { ERROR_CODES, type ErrorCode } from './error-codes.ts';
import { PublicError, type PublicErrorOptions } from './public-error.ts';
import type { Verdict } from './verdict.ts';

/**
 * An error of the public interface, with one of its codes. Only the catalogue in this folder makes such
 * errors.
 */
export class GatewayError extends PublicError<ErrorCode> {
  override readonly name = 'GatewayError';
  /** Set by who reads the failure of a provider. Undefined: it means what its code means. */
  verdict: Verdict | undefined;

  constructor(code: ErrorCode, publicMessage: string, options?: PublicErrorOptions) {
    super(code, ERROR_CODES[code], publicMessage, options);
  }
}
