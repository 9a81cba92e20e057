import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { z } from 'zod';

export const PROJECT = 'sim-project';
const EMAIL = `gateway@${PROJECT}.iam.gserviceaccount.com`;
const SCOPE = 'https://www.googleapis.com/auth/cloud-platform';
const MAX_SECONDS = 3_600;
const CLOCK_SKEW_SECONDS = 60;

/**
 * Creates a key of a service account, in Google's form. Its id is its public half, so that the token endpoint
 * can check signatures without knowing the key.
 * @param baseUrl of the simulated provider, which has the token endpoint
 * @returns JSON
 */
export function simulatedServiceAccount(baseUrl: string): string {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', {
    modulusLength: 2_048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'der' },
  });
  return JSON.stringify({
    type: 'service_account',
    project_id: PROJECT,
    private_key_id: publicKey.toString('base64url'),
    private_key: privateKey,
    client_email: EMAIL,
    token_uri: new URL('/token', baseUrl).href,
  });
}

const header = z.strictObject({ alg: z.literal('RS256'), typ: z.literal('JWT'), kid: z.string() });
const claims = z.strictObject({
  iss: z.literal(EMAIL),
  scope: z.literal(SCOPE),
  aud: z.string(),
  iat: z.int(),
  exp: z.int(),
});

/**
 * Checks the assertion of a service account.
 * Source: "Using OAuth 2.0 for Server to Server Applications" of Google.
 * @returns the problem; undefined if it is valid
 */
export function assertionProblem(assertion: string, tokenUrl: string): string | undefined {
  const [head = '', body = '', signature = ''] = assertion.split('.');
  const named = header.safeParse(decoded(head)).data;
  const claimed = claims.safeParse(decoded(body)).data;
  if (named === undefined || claimed === undefined) return 'Invalid JWT: it lacks what it must have.';
  const key = createPublicKey({ key: Buffer.from(named.kid, 'base64url'), format: 'der', type: 'spki' });
  if (!verify('RSA-SHA256', Buffer.from(`${head}.${body}`), key, Buffer.from(signature, 'base64url')))
    return 'Invalid JWT Signature.';
  const nowSeconds = Date.now() / 1_000;
  const { aud, exp, iat } = claimed;
  if (aud !== tokenUrl) return 'Invalid JWT: Failed audience check.';
  const isTimely = iat <= nowSeconds + CLOCK_SKEW_SECONDS && exp > nowSeconds && exp - iat <= MAX_SECONDS;
  return isTimely
    ? undefined
    : 'Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe.';
}

function decoded(part: string): unknown {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString());
  } catch {
    return undefined;
  }
}
