import { z } from 'zod';
import type { FetchedCredential } from './fetched-credential.ts';

const granted = z.looseObject({
  access_token: z.string().min(1),
  /** Seconds. Some servers write it as a text. */
  expires_in: z.coerce.number().positive().optional(),
});
const refused = z.looseObject({ error: z.string(), error_description: z.string().default('') });
const MAX_REASON_LENGTH = 500;
const PATIENCE_MS = 10_000;

/**
 * Asks the token endpoint of an authorization server for an access token (RFC 6749, sections 4.4 and 5).
 * @throws Error in the server's words, without what it was sent
 */
export async function fetchAccessToken(
  endpoint: string,
  form: Readonly<Record<string, string>>,
): Promise<FetchedCredential> {
  // Its time runs since it was issued, and the answer may have taken long to be read.
  const askedAtMs = Date.now();
  const response = await fetch(endpoint, {
    method: 'POST',
    headers: { accept: 'application/json' },
    body: new URLSearchParams(form),
    // The request's secrets are for this server alone.
    redirect: 'error',
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  const answer: unknown = await response.json().catch(() => undefined);
  const token = response.ok ? granted.safeParse(answer).data : undefined;
  if (token === undefined) throw new Error(reasonOf(response.status, answer));
  const { access_token, expires_in } = token;
  return bearer(access_token, expires_in === undefined ? undefined : askedAtMs + expires_in * 1_000);
}

/** @param expiresAtMs Unix milliseconds; undefined: nobody has said */
export function bearer(token: string, expiresAtMs: number | undefined): FetchedCredential {
  const authorization = `Bearer ${token}`;
  return { prove: ({ headers }) => ({ ...headers, authorization }), expiresAtMs, secret: token };
}

function reasonOf(status: number, answer: unknown): string {
  const { data } = refused.safeParse(answer);
  const reason = data === undefined ? '' : `: ${data.error} ${data.error_description}`;
  return `the token server answered ${status}${reason}`.trim().slice(0, MAX_REASON_LENGTH);
}
