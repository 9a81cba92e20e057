import { Prisma, type PrismaClient } from '@model-gateway/database';
import { z } from 'zod';
import { isUniqueViolation } from '../database/unique-violation.ts';
import type { StoredAccount } from './account-store.ts';

const expiryRows = z.tuple([z.object({ expiresAt: z.date() })]);
const redeemedRows = z.array(z.object({ accountId: z.string(), signInId: z.string() }));

/** Which sign-in of the dashboard owns which account, and the password resets that operators have given out. */
export class SignInStore {
  readonly #prisma: PrismaClient;

  constructor(prisma: PrismaClient) {
    this.#prisma = prisma;
  }

  async accountOf(signInId: string): Promise<StoredAccount | null> {
    return await this.#prisma.account.findUnique({ where: { signInId } });
  }

  /**
   * Gives the sign-in the account that has this address, if nobody has signed in to it yet.
   * @param email in lower case
   */
  async claim(email: string, signInId: string): Promise<StoredAccount | null> {
    try {
      const [account] = await this.#prisma.account.updateManyAndReturn({
        where: { email, signInId: null },
        data: { signInId },
      });
      return account ?? null;
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      // It got another one in the meantime.
      return await this.accountOf(signInId);
    }
  }

  /** Replaces the account's earlier reset. @param tokenHash lower-case hex SHA-256 of the token */
  async offerReset(accountId: string, tokenHash: string, validHours: number): Promise<Date> {
    const [{ expiresAt }] = expiryRows.parse(
      await this.#prisma.$queryRaw`
        INSERT INTO password_resets (account_id, token_hash, expires_at)
        VALUES (${accountId}, ${tokenHash}, now() + make_interval(hours => ${validHours}::int))
        ON CONFLICT (account_id) DO UPDATE
          SET token_hash = EXCLUDED.token_hash, expires_at = EXCLUDED.expires_at
        RETURNING expires_at AS "expiresAt"`,
    );
    return expiresAt;
  }

  /**
   * Uses a reset up, and gives its account this sign-in if it has none; one statement, so that of several calls with one
   * token only one succeeds.
   * @returns null: never given, used or expired; 'taken': the sign-in has another account, and the reset is not used up
   */
  async redeemReset(
    tokenHash: string,
    signInId: string,
  ): Promise<{ account: StoredAccount; signInId: string } | null | 'taken'> {
    let rows: unknown;
    try {
      rows = await this.#prisma.$queryRaw(redeemStatement(tokenHash, signInId));
    } catch (error) {
      if (isUniqueViolation(error)) return 'taken';
      throw error;
    }
    const [redeemed] = redeemedRows.parse(rows);
    if (redeemed === undefined) return null;
    const account = await this.#prisma.account.findUniqueOrThrow({ where: { id: redeemed.accountId } });
    return { account, signInId: redeemed.signInId };
  }

  /** Resets that have expired are of no use to anybody. */
  async pruneResets(): Promise<void> {
    await this.#prisma.$executeRaw`DELETE FROM password_resets WHERE expires_at <= now()`;
  }
}

function redeemStatement(tokenHash: string, signInId: string): Prisma.Sql {
  return Prisma.sql`
    WITH used AS (
      DELETE FROM password_resets WHERE token_hash = ${tokenHash} AND expires_at > now() RETURNING account_id
    )
    UPDATE accounts a SET sign_in_id = coalesce(a.sign_in_id, ${signInId}) FROM used WHERE a.id = used.account_id
    RETURNING a.id AS "accountId", a.sign_in_id AS "signInId"`;
}
