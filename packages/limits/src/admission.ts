import {
  type Admission,
  type PolicyState,
  STREAM_RETRY_AFTER_MS,
  type Store,
  type StreamState,
} from './limiter.ts';

/**
 * Makes an admission of what a store decided, Redis or memory.
 * @param refusedBy 0: nothing refused; else the number of the refusing policy, counted from 1; one more than
 *   there are policies stands for the streams
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
