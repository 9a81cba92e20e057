import { getOAuthState } from 'better-auth/api';
import { z } from 'zod';
import { noteResponse } from './provider-response.ts';

/** Marks a sign-in as a proof of identity, in the library's state, which survives the redirect. */
export const SIGN_IN_AGAIN = { again: true };

/** Seconds since 1970. A claim of any other form counts as missing. */
const claims = z.object({ auth_time: z.number().int().nonnegative().optional().catch(undefined) });
const signInState = z.object({ again: z.literal(true) });

/**
 * Notes when a person proved to the provider who they are (auth_time, OpenID Connect Core 1.0, section 2).
 * @param idToken verified
 */
export async function noteAuthentication(idToken: string): Promise<void> {
  const { auth_time: seconds } = claims.parse(claimsOf(idToken));
  const isProofRequested = signInState.safeParse(await getOAuthState()).success;
  // The provider's clock may be ahead.
  const at = seconds === undefined ? undefined : new Date(Math.min(seconds * 1_000, Date.now()));
  noteResponse({ isProofRequested, ...(at !== undefined && { authenticatedAt: at }) });
}

/** Returns the claims of an ID token. @throws if it is not a JWT */
export function claimsOf(idToken: string): Record<string, unknown> {
  const [, payload = ''] = idToken.split('.');
  return z.record(z.string(), z.unknown()).parse(JSON.parse(Buffer.from(payload, 'base64url').toString()));
}
