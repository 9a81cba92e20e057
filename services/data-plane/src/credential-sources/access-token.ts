import { fetch } from 'undici';
import { z } from 'zod';
import type { EgressProxy } from '../egress/egress-proxy.ts';
import type { FetchedCredential } from './fetched-credential.ts';

const tokenResponse = z.looseObject({
  access_token: z.string().min(1),
  /** In seconds. Some servers send a string. */
  expires_in: z.coerce.number().positive().optional(),
});
const errorResponse = z.looseObject({ error: z.string(), error_description: z.string().default('') });
const MAX_REASON_LENGTH = 500;
const TIMEOUT_MS = 10_000;

/**
 * Requests an access token from an authorization server (RFC 6749, sections 4.4 and 5).
 * @throws Error with the server's reason, without the request's secrets
 */
export async function fetchAccessToken(
  endpoint: string,
  form: Readonly<Record<string, string>>,
  egress: EgressProxy,
): Promise<FetchedCredential> {
  // The lifetime starts when the token is issued, so count it from before the request.
  const requestedAtMs = Date.now();
  const response = await fetch(endpoint, {
    method: 'POST',
    headers: { accept: 'application/json' },
    body: new URLSearchParams(form),
    // A redirect would send the secrets to another server.
    redirect: 'error',
    dispatcher: egress.dispatcher,
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const answer: unknown = await response.json().catch(() => undefined);
  const token = response.ok ? tokenResponse.safeParse(answer).data : undefined;
  if (token === undefined) throw new Error(reasonOf(response.status, answer));
  const { access_token, expires_in } = token;
  return bearerCredential(
    access_token,
    expires_in === undefined ? undefined : requestedAtMs + expires_in * 1_000,
  );
}

/** @param expiresAtMs Unix milliseconds; undefined: unknown */
export function bearerCredential(token: string, expiresAtMs: number | undefined): FetchedCredential {
  const authorization = `Bearer ${token}`;
  return { authenticate: ({ headers }) => ({ ...headers, authorization }), expiresAtMs, secret: token };
}

function reasonOf(status: number, answer: unknown): string {
  const { data } = errorResponse.safeParse(answer);
  const reason = data === undefined ? '' : `: ${data.error} ${data.error_description}`;
  return `the token server answered ${status}${reason}`.trim().slice(0, MAX_REASON_LENGTH);
}
