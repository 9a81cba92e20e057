import { createHash, randomBytes } from 'node:crypto';

const TOKEN_BYTES = 32;

export function newInvitationToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

/** Lower-case hex SHA-256: the token is too random to be guessed from it. */
export function invitationTokenHash(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
