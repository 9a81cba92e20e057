import { type ErrorCode, GatewayError, type Verdict } from '@model-gateway/shared';

/** A kind of failure: its verdict, and its row in the documents. */
export interface FailureKind extends Verdict {
  /** The cause, as the documents print it; undefined: not printed, because no provider is involved. */
  readonly when: string | undefined;
  /** No request was sent: there is no attempt to log, and nothing to bill. */
  readonly isUnsent?: true;
  /** The caller's error code; undefined: the failure has its own. */
  readonly code: ErrorCode | undefined;
}

/** Other requests would probably have failed, too. One caller may cause it, so it counts once per payer. */
const PROVIDER_FAULT = { blame: 'provider', breaker: 'failed', outcome: 'failed', health: 'failed' } as const;
/** Any request would have failed: no caller can cause it. */
const UNREACHABLE = { ...PROVIDER_FAULT, breaker: 'failed_for_all' } as const;
/** One caller alone can cause these. If the breaker counted them, one tenant could block all others. */
const REQUEST_FAULT = {
  blame: 'request',
  breaker: 'answered',
  outcome: 'rejected',
  health: 'completed',
} as const;
const CREDENTIAL_FAULT = { blame: 'credential', outcome: 'failed', health: 'failed' } as const;

/**
 * Every kind of failure, and its consequences. Retries, fallbacks, breakers, credentials, logs, billing use
 * nothing else. docs/reference/provider-failures.md prints this table.
 */
export const VERDICTS = {
  not_connected: {
    ...UNREACHABLE,
    when: 'the connection is refused, or cannot be made because of DNS or TLS',
    code: 'upstream_error',
    next: ['upstream', 'same', 'model'],
  },
  connect_timed_out: {
    ...UNREACHABLE,
    when: 'no connection in time',
    code: 'upstream_timeout',
    next: ['upstream', 'model'],
  },
  connection_failed: {
    ...PROVIDER_FAULT,
    when: 'the connection breaks before the provider responds',
    code: 'upstream_error',
    next: ['upstream', 'same', 'model'],
  },
  connection_failed_slow_request: {
    ...REQUEST_FAULT,
    when: 'the connection breaks as above, and the request arrived slowly or is larger than 1 MiB',
    code: 'upstream_error',
    next: ['upstream', 'same', 'model'],
  },
  timed_out: {
    ...PROVIDER_FAULT,
    when: 'no first byte or next event in time',
    code: 'upstream_timeout',
    next: ['upstream', 'model'],
  },
  answer_too_long: {
    ...REQUEST_FAULT,
    // A caller can request a response of any length. Another model would take as long again.
    when: 'a response that began in time takes too long in all',
    code: 'upstream_timeout',
    next: [],
    // The gateway cut it, so its duration says nothing about the provider.
    health: 'cut',
  },
  provider_failed: {
    ...PROVIDER_FAULT,
    when: 'a 5xx, a connection that breaks within a response, an error event that names a failure of its own',
    code: 'upstream_error',
    next: ['upstream', 'model'],
  },
  caused_by_request: {
    ...REQUEST_FAULT,
    when: 'any other 3xx or 4xx, an error inside a response that the request may have caused, a response that breaks the rules of its API or ends too early, JSON of the wrong shape, a response that is too large',
    code: 'upstream_error',
    next: ['upstream', 'model'],
  },
  not_counted: {
    ...REQUEST_FAULT,
    when: 'the provider does not count the tokens of this model (then the gateway counts)',
    code: 'upstream_error',
    next: ['upstream', 'model'],
  },
  limited: {
    blame: 'provider',
    when: 'a 429, or an error within a response that means the same',
    code: 'upstream_rate_limited',
    next: ['credential', 'upstream', 'model'],
    breaker: 'answered',
    credential: 'limited',
    outcome: 'failed',
    health: 'failed',
  },
  credential_refused: {
    ...CREDENTIAL_FAULT,
    // Nothing but the credential causes a 401.
    when: 'a 401',
    code: 'upstream_error',
    next: ['credential', 'upstream', 'model'],
    breaker: 'failed_for_all',
    credential: 'refused',
  },
  credential_refused_for_model: {
    ...CREDENTIAL_FAULT,
    // A prompt can provoke a 403, so it does not count for the breaker.
    when: 'a 403 that is not about the content of the request',
    code: 'upstream_error',
    next: ['credential', 'upstream', 'model'],
    breaker: 'answered',
    credential: 'refused_for_model',
  },
  credential_refused_in_body: {
    ...CREDENTIAL_FAULT,
    when: 'another status whose body says that the credential is not valid or has no credit',
    code: 'upstream_error',
    next: ['credential', 'upstream', 'model'],
    breaker: 'answered',
    credential: 'refused',
  },
  credential_not_fetched: {
    ...CREDENTIAL_FAULT,
    when: 'fetching a credential fails',
    code: 'upstream_error',
    next: ['credential', 'upstream', 'same', 'model'],
    breaker: 'failed_for_all',
    credential: 'not_fetched',
  },
  credential_expired: {
    ...REQUEST_FAULT,
    // Neither the provider nor the request is to blame.
    blame: 'gateway',
    when: 'a fetched credential has expired',
    code: 'upstream_error',
    next: ['renewed', 'upstream', 'model'],
  },
  context_too_long: {
    ...REQUEST_FAULT,
    when: 'a 400, 413 or 422 that says that the context is too long',
    code: 'context_length_exceeded',
    next: ['model'],
  },
  foreign_reasoning: {
    ...REQUEST_FAULT,
    // Only the model that reasoned can read its signed or encrypted reasoning.
    when: 'a 400, 413 or 422 that says that the reasoning in the conversation is from another model',
    code: 'upstream_rejected',
    next: ['upstream', 'model'],
  },
  no_such_model: {
    ...REQUEST_FAULT,
    when: 'a 400, 413 or 422 that says that the provider does not have the model',
    code: 'upstream_rejected',
    next: ['model'],
    health: 'failed',
  },
  model_not_served: {
    ...PROVIDER_FAULT,
    breaker: 'answered',
    when: 'a 404 or 410, unless it names something else of the request, such as a file',
    code: 'upstream_error',
    next: ['upstream', 'model'],
  },
  too_large: {
    ...REQUEST_FAULT,
    when: 'another 413',
    code: 'upstream_rejected',
    next: ['model'],
  },
  rejected: {
    ...REQUEST_FAULT,
    when: 'another 400 or 422',
    code: 'upstream_rejected',
    next: [],
  },
  not_found: {
    blame: 'request',
    // Another account or provider may have it.
    when: 'the provider does not have what the request refers to',
    code: 'not_found',
    next: ['credential', 'upstream'],
    outcome: 'rejected',
    health: 'completed',
  },
  previous_response_not_found: {
    blame: 'request',
    when: 'the provider does not have the response named in `previous_response_id`',
    code: 'previous_response_not_found',
    next: ['credential'],
    outcome: 'rejected',
    health: 'completed',
  },
  field_not_supported: {
    blame: 'request',
    isUnsent: true,
    when: "the provider's API cannot express a field",
    code: 'invalid_request',
    next: ['upstream', 'model'],
    outcome: 'cut',
    health: 'cut',
  },
  model_unavailable: {
    blame: 'provider',
    isUnsent: true,
    when: 'every provider of the model has an open circuit breaker or no credential',
    code: 'model_unavailable',
    next: ['model'],
    outcome: 'failed',
    health: 'failed',
  },
  client_left: {
    blame: 'client',
    when: undefined,
    code: undefined,
    next: [],
    outcome: 'client_gone',
    health: 'client_gone',
  },
  /** The gateway ended the request: a revoked key, a broken upload, no memory for a response. */
  interrupted: {
    blame: 'gateway',
    when: undefined,
    code: undefined,
    next: [],
    outcome: 'cut',
    health: 'cut',
  },
} as const satisfies Record<string, FailureKind>;

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
