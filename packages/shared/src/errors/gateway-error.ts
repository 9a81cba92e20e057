import { ERROR_CODES, type ErrorCode } from './error-codes.ts';
import type { ProviderReport } from './provider-report.ts';
import { PublicError, type PublicErrorOptions } from './public-error.ts';
import type { Verdict } from './verdict.ts';

/** An error of the public API, with one of its codes. Only the functions in this folder create one. */
export class GatewayError extends PublicError<ErrorCode> {
  override readonly name = 'GatewayError';
  /** Set when the error came from a provider's failure. Undefined: the code says everything. */
  verdict: Verdict | undefined;
  /** Describes the failure of a provider. Undefined: the message says everything. */
  report: ProviderReport | undefined;

  constructor(code: ErrorCode, publicMessage: string, options?: PublicErrorOptions) {
    super(code, ERROR_CODES[code], publicMessage, options);
  }
}
