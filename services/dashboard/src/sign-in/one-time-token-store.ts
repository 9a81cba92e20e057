import { createHash, randomBytes } from 'node:crypto';
import type { PrismaClient } from '@model-gateway/database';
import { z } from 'zod';
import { mapStoreFailure } from './map-store-failure.ts';
import { newSignInId } from './user-store.ts';

type Purpose = 'verify-address' | 'password-reset' | PasskeyPurpose;

/** Challenges of passkeys, whose tokens are public. */
export type PasskeyPurpose = 'passkey-registration' | 'passkey-proof' | 'passkey-sign-in';

const TOKEN_BYTES = 32;

const usedRows = z.array(z.object({ user_id: z.string() }));

/**
 * Stores tokens that work once: those of mailed links, and the challenges that passkeys sign. Stores only
 * hashes, in the sign-in library's table of verifications.
 */
export class OneTimeTokenStore {
  readonly #prisma: PrismaClient;

  constructor(prisma: PrismaClient) {
    this.#prisma = prisma;
  }

  /**
   * Creates a token. Earlier ones stay valid, so that a stranger who requests another link does not disable
   * the user's. @param userId for a sign-in, when no user is known yet, any random id
   * @returns the raw token, base64url
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

  /** Returns the user whose sign-in waits for its second step. @param identifier of the library's cookie */
  async ownerOf(identifier: string): Promise<string | undefined> {
    const where = { identifier, expiresAt: { gt: new Date() } };
    const waiting = await mapStoreFailure(this.#prisma.dashboardVerification.findFirst({ where }));
    return waiting?.value;
  }
}

function identifierOf(purpose: Purpose, token: string): string {
  return `${purpose}:${createHash('sha256').update(token).digest('base64url')}`;
}
