import { createSign } from 'node:crypto';
import { z } from 'zod';
import type { EgressProxy } from '../egress/egress-proxy.ts';
import { fetchAccessToken } from './access-token.ts';
import type { FetchedCredential } from './fetched-credential.ts';

/** JSON key file of a Google Cloud service account. */
export const serviceAccountKey = z.looseObject({
  type: z.literal('service_account'),
  client_email: z.string().min(1),
  private_key: z.string().min(1),
  private_key_id: z.string().optional(),
  project_id: z.string().optional(),
  token_uri: z.url().default('https://oauth2.googleapis.com/token'),
});

export type ServiceAccountKey = z.infer<typeof serviceAccountKey>;

const GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const LIFETIME_SECONDS = 3_600;

/**
 * Exchanges a service account key for a token. Google's library would ignore the `token_uri` of the key.
 * Source: RFC 7523, section 2.1; "Using OAuth 2.0 for Server to Server Applications" of Google.
 */
export function fetchServiceAccountToken(
  key: ServiceAccountKey,
  scope: string,
  egress: EgressProxy,
): Promise<FetchedCredential> {
  const form = { grant_type: GRANT, assertion: signAssertion(key, scope) };
  return fetchAccessToken(key.token_uri, form, egress);
}

function signAssertion(
  { client_email, private_key, private_key_id, token_uri }: ServiceAccountKey,
  scope: string,
) {
  const issuedAt = Math.floor(Date.now() / 1_000);
  const head = { alg: 'RS256', typ: 'JWT', ...(private_key_id === undefined ? {} : { kid: private_key_id }) };
  const claims = {
    iss: client_email,
    scope,
    aud: token_uri,
    iat: issuedAt,
    exp: issuedAt + LIFETIME_SECONDS,
  };
  const text = [head, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  return `${text}.${createSign('RSA-SHA256').update(text).sign(private_key, 'base64url')}`;
}
