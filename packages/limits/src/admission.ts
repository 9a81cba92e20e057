import {
  type Admission,
  type PolicyState,
  STREAM_RETRY_AFTER_MS,
  type Store,
  type StreamState,
} from './limiter.ts';

/**
 * Converts the decision of a store.
 * @param refusedBy 0: admitted; else the refusing policy, from 1; one more than policies: the streams
 */
export function admissionOf(
  refusedBy: number,
  policies: PolicyState[],
  stream: StreamState | undefined,
  decidedBy: Store,
): Admission {
  if (refusedBy === 0) return { outcome: 'admitted', policies, stream, decidedBy };
  const policy = policies[refusedBy - 1];
  return {
    outcome: 'refused',
    by: policy?.name ?? 'streams',
    retryAfterMs: policy?.resetMs ?? STREAM_RETRY_AFTER_MS,
    policies,
    stream,
    decidedBy,
  };
}
