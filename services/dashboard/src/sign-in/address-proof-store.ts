import { createHash, randomBytes } from 'node:crypto';
import type { PrismaClient } from '@model-gateway/database';
import { z } from 'zod';
import { signInUnavailable } from './sign-in-unavailable.ts';
import { newSignInId } from './user-store.ts';

/** The purposes of links that are sent to somebody's address. */
export type AddressProof = 'verify-address' | 'password-reset';

const TOKEN_BYTES = 32;

const usedRows = z.array(z.object({ user_id: z.string() }));

/**
 * Tokens that are sent to e-mail addresses; whoever brings one back has proven the address. The rows are in
 * the sign-in library's table for such things. Only the hash of a token is stored.
 */
export class AddressProofStore {
  readonly #prisma: PrismaClient;

  constructor(prisma: PrismaClient) {
    this.#prisma = prisma;
  }

  /** Makes a token, and ends the earlier one of the sign-in. @returns the token, which is kept nowhere */
  async offer(what: AddressProof, userId: string, validMs: number): Promise<string> {
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    const data = {
      id: newSignInId(),
      identifier: identifierOf(what, token),
      value: userId,
      expiresAt: new Date(Date.now() + validMs),
    };
    const { dashboardVerification } = this.#prisma;
    await signInUnavailable(
      this.#prisma.$transaction([
        dashboardVerification.deleteMany({
          where: { value: userId, identifier: { startsWith: `${what}:` } },
        }),
        dashboardVerification.create({ data }),
      ]),
    );
    return token;
  }

  /**
   * Uses a token; it works once.
   * @param userId the token must belong to this sign-in; left out: to any
   * @returns the sign-in; undefined: the token was never given, is used, replaced or expired, or belongs to
   *   another
   */
  async use(what: AddressProof, token: string, userId?: string): Promise<string | undefined> {
    const rows = await signInUnavailable(
      this.#prisma.$queryRaw`
        DELETE FROM dashboard_verifications
        WHERE identifier = ${identifierOf(what, token)} AND expires_at > now()
          AND value = coalesce(${userId ?? null}, value)
        RETURNING value AS user_id`,
    );
    return usedRows.parse(rows)[0]?.user_id;
  }
}

function identifierOf(what: AddressProof, token: string): string {
  return `${what}:${createHash('sha256').update(token).digest('base64url')}`;
}
