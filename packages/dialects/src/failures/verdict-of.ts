import { type ErrorCode, GatewayError, type Verdict } from '@model-gateway/shared';
import { VERDICTS } from './verdicts.ts';

const VERDICT_OF_CODE: Partial<Record<ErrorCode, Verdict>> = {
  upstream_error: VERDICTS.provider_failed,
  upstream_timeout: VERDICTS.timed_out,
  upstream_rate_limited: VERDICTS.limited,
  upstream_rejected: VERDICTS.rejected,
  context_length_exceeded: VERDICTS.context_too_long,
  not_found: VERDICTS.not_found,
  previous_response_not_found: VERDICTS.previous_response_not_found,
  invalid_request: VERDICTS.field_not_supported,
  model_unavailable: VERDICTS.model_unavailable,
};

/** Returns the verdict of a failure, else the one of its error code. */
export function verdictOf(failure: unknown): Verdict {
  if (!(failure instanceof GatewayError)) return VERDICTS.interrupted;
  return failure.verdict ?? VERDICT_OF_CODE[failure.code] ?? VERDICTS.interrupted;
}

/** Sets the verdict of an error. @returns the error */
export function withVerdict(error: GatewayError, verdict: Verdict): GatewayError {
  error.verdict = verdict;
  return error;
}
