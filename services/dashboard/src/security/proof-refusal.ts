import type { ProviderResponse } from '../sign-in/provider-response.ts';
import { isRecentProof } from './require-proof.ts';

/**
 * Returns the code of the reason why a sign-in that was requested to prove again who the person is does not.
 * The request had a max_age, so that the provider must send auth_time (OpenID Connect Core 1.0, 3.1.2.1).
 */
export function proofRefusal({
  authenticatedAt,
  isAgain,
}: ProviderResponse): 'proof_time_missing' | 'proof_too_old' | undefined {
  if (isAgain !== true) return undefined;
  if (authenticatedAt === undefined) return 'proof_time_missing';
  return isRecentProof(authenticatedAt) ? undefined : 'proof_too_old';
}
