import type { ProviderResponse } from '../sign-in/provider-response.ts';
import { isRecentProof } from './require-proof.ts';

/**
 * Returns the error code of a sign-in that was requested as a proof of identity and is none; undefined: it
 * is one, or was not requested as one. Because the request had a max_age, the provider must send auth_time
 * (OpenID Connect Core 1.0, 3.1.2.1).
 */
export function proofRefusal({
  authenticatedAt,
  isProofRequested,
}: ProviderResponse): 'proof_time_missing' | 'proof_too_old' | undefined {
  if (isProofRequested !== true) return undefined;
  if (authenticatedAt === undefined) return 'proof_time_missing';
  return isRecentProof(authenticatedAt) ? undefined : 'proof_too_old';
}
