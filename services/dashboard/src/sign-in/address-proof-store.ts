import { createHash, randomBytes } from 'node:crypto';
import type { PrismaClient } from '@model-gateway/database';
import { z } from 'zod';
import { mapStoreFailure } from './map-store-failure.ts';
import { newSignInId } from './user-store.ts';

type Purpose = 'verify-address' | 'password-reset';

const TOKEN_BYTES = 32;

const usedRows = z.array(z.object({ user_id: z.string() }));

/**
 * Stores the tokens of mailed links. Whoever has a token receives mail at the address. Stores only hashes, in
 * the sign-in library's table of verifications.
 */
export class AddressProofStore {
  readonly #prisma: PrismaClient;

  constructor(prisma: PrismaClient) {
    this.#prisma = prisma;
  }

  /**
   * Creates a token. Earlier ones stay valid, so that a stranger who requests another link does not disable
   * the user's. @returns the raw token
   */
  async create(purpose: Purpose, userId: string, validMs: number): Promise<string> {
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    const data = {
      id: newSignInId(),
      identifier: identifierOf(purpose, token),
      value: userId,
      expiresAt: new Date(Date.now() + validMs),
    };
    await mapStoreFailure(this.#prisma.dashboardVerification.create({ data }));
    return token;
  }

  /**
   * Redeems a token, once. Ends the user's other tokens of this purpose.
   * @param userId requires that the token belongs to this user
   * @returns the user id; undefined if the token is unknown, used, ended, expired or another user's
   */
  async redeem(purpose: Purpose, token: string, userId?: string): Promise<string | undefined> {
    const rows = await mapStoreFailure(
      this.#prisma.$queryRaw`
        DELETE FROM dashboard_verifications
        WHERE identifier = ${identifierOf(purpose, token)} AND expires_at > now()
          AND value = coalesce(${userId ?? null}, value)
        RETURNING value AS user_id`,
    );
    const redeemedBy = usedRows.parse(rows)[0]?.user_id;
    if (redeemedBy === undefined) return undefined;
    const others = { value: redeemedBy, identifier: { startsWith: `${purpose}:` } };
    await mapStoreFailure(this.#prisma.dashboardVerification.deleteMany({ where: others }));
    return redeemedBy;
  }
}

function identifierOf(purpose: Purpose, token: string): string {
  return `${purpose}:${createHash('sha256').update(token).digest('base64url')}`;
}
