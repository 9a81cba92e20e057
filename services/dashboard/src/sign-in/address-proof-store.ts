import { createHash, randomBytes } from 'node:crypto';
import type { PrismaClient } from '@model-gateway/database';
import { z } from 'zod';
import { signInUnavailable } from './sign-in-unavailable.ts';
import { newSignInId } from './user-store.ts';

/** What a link does that was sent to somebody's address. */
export type AddressProof = 'verify-address' | 'password-reset';

const TOKEN_BYTES = 32;

const usedRows = z.array(z.object({ user_id: z.string() }));

/**
 * What was sent to e-mail addresses and comes back as a proof. The rows lie in the sign-in library's table of
 * such things; of a token its hash is kept.
 */
export class AddressProofStore {
  readonly #prisma: PrismaClient;

  constructor(prisma: PrismaClient) {
    this.#prisma = prisma;
  }

  /** Ends an earlier one of the sign-in. @returns the token, which exists here only */
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
   * Uses a token up.
   * @param userId for this sign-in alone; left out: for whichever it was given
   * @returns the sign-in; undefined: never given, used, replaced, expired, or another's
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
