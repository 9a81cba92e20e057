import {
  type Admission,
  type Peek,
  STREAM_RETRY_AFTER_MS,
  type TakenTokens,
  type TokenEstimate,
} from './limiter.ts';

/**
 * Converts the decision of a store.
 * @param refusedBy 0: admitted; else the refusing policy, from 1, token policies last; one more than all: the
 *   streams
 * @param tokens taken if it is admitted
 */
export function admissionOf(refusedBy: number, state: Peek, tokens: TakenTokens | undefined): Admission {
  const { decidedBy, policies, stream, tokenPolicies } = state;
  if (refusedBy === 0) return { outcome: 'admitted', policies, tokenPolicies, stream, decidedBy, tokens };
  const policy = policies[refusedBy - 1] ?? tokenPolicies[refusedBy - 1 - policies.length];
  return {
    outcome: 'refused',
    by: policy?.name ?? 'streams',
    retryAfterMs: policy?.resetMs ?? STREAM_RETRY_AFTER_MS,
    policies,
    tokenPolicies,
    stream,
    decidedBy,
  };
}

/** Returns an estimate in whole tokens that takes at least one. */
export function wholeEstimate({ fixed, flexible }: TokenEstimate = { fixed: 1, flexible: 0 }): TokenEstimate {
  return { fixed: Math.max(1, Math.ceil(fixed)), flexible: Math.max(0, Math.floor(flexible)) };
}
