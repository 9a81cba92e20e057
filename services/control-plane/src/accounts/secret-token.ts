import { createHash, randomBytes } from 'node:crypto';

const TOKEN_BYTES = 32;

export function newSecretToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

/** Lower-case hex SHA-256. A plain hash is enough, because the token is too random to be guessed. */
export function secretTokenHash(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
