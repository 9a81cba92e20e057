import { Prisma, type PrismaClient } from '@model-gateway/database';
import { z } from 'zod';
import { ControlPlaneError } from '../control-plane-error.ts';
import {
  lastEvent,
  lockListedKeys,
  REVOCABLE,
  restoreKeys,
  revokeKeys,
  suspendKeys,
  UNEXPIRED,
} from '../keys/key-event-store.ts';
import type { StoredAccount } from './account-store.ts';
import { endInvitations, endSignIn, keysGivenOut } from './proven-address-store.ts';

const idRows = z.array(z.object({ id: z.string() }));
const stateRows = z.array(z.object({ isDeleted: z.boolean(), email: z.string() }));

/** What became of keys, and the revision at which data planes hear of it; undefined: there is nothing to hear. */
export interface KeysChanged {
  account: StoredAccount;
  keyIds: string[];
  revision: bigint | undefined;
}

export interface AccountDeleted extends KeysChanged {
  teamIds: string[];
  seatIds: string[];
}

/** Made up for an account that is deleted; `invalid` is the domain that nobody has (RFC 2606). */
const DELETED_NAME = 'Deleted account';
const DELETED_DOMAIN = 'deleted.invalid';

/** Accounts that are suspended, resumed and deleted, in Postgres. */
export class AccountEndStore {
  readonly #prisma: PrismaClient;

  constructor(prisma: PrismaClient) {
    this.#prisma = prisma;
  }

  /**
   * Stops the keys of an account, and those on the seats of its teams, which spend its money; and ends its
   * sessions. Repeated, it says when data planes heard of it.
   * @throws ControlPlaneError failed_precondition (it is deleted)
   */
  async suspend(id: string): Promise<KeysChanged> {
    const stopped = await this.#prisma.$transaction(async (transaction) => {
      await lockAccountState(transaction, id);
      await transaction.$executeRaw`
        UPDATE accounts SET suspended_at = coalesce(suspended_at, now()) WHERE id = ${id}`;
      const which = keysGivenOut(id);
      const keyIds = await lockListedKeys(
        transaction,
        Prisma.sql`${which} AND revoked_at IS NULL AND ${UNEXPIRED}`,
      );
      const revision =
        (await suspendKeys(transaction, which)) ?? (await lastEvent(transaction, 'revoked', which));
      return { account: await find(transaction, id), keyIds, revision };
    });
    // After the commit: who signs in at the same time makes a session first, and is then told of the suspension
    // or has made the session before this.
    await this.#prisma.$executeRaw`
      DELETE FROM dashboard_sessions s USING accounts a WHERE a.id = ${id} AND s.user_id = a.sign_in_id`;
    return stopped;
  }

  /**
   * Lets the keys work again that were stopped, but for those that another suspended account holds or pays.
   * @throws ControlPlaneError failed_precondition (it is deleted)
   */
  async resume(id: string): Promise<KeysChanged> {
    return await this.#prisma.$transaction(async (transaction) => {
      await lockAccountState(transaction, id);
      await transaction.$executeRaw`UPDATE accounts SET suspended_at = NULL WHERE id = ${id}`;
      const which = Prisma.sql`${keysGivenOut(id)} AND ${NOBODY_SUSPENDED}`;
      const keyIds = await lockListedKeys(
        transaction,
        Prisma.sql`${which} AND suspended_at IS NOT NULL AND ${UNEXPIRED}`,
      );
      const revision =
        (await restoreKeys(transaction, which)) ?? (await lastEvent(transaction, 'restored', which));
      return { account: await find(transaction, id), keyIds, revision };
    });
  }

  /**
   * Takes an account out of use for good: its keys, those on the seats of its teams, the teams, its own seats, its
   * sign-in and what leads to one. What it is called is made up from then on. Repeated, it says when data planes
   * heard of it.
   */
  async delete(id: string): Promise<AccountDeleted> {
    return await this.#prisma.$transaction(async (transaction) => {
      const { email, isDeleted } = await lockState(transaction, id);
      const which = keysGivenOut(id);
      if (isDeleted) {
        const revision = await lastEvent(transaction, 'revoked', which);
        return { account: await find(transaction, id), keyIds: [], teamIds: [], seatIds: [], revision };
      }
      await endSignIn(transaction, id);
      await transaction.passwordReset.deleteMany({ where: { accountId: id } });
      await endInvitations(transaction, id);
      await transaction.seatInvitation.deleteMany({ where: { email } });
      const seatIds = await endSeatsAndTeamSeats(transaction, id);
      const teamIds = await idsOf(
        transaction,
        Prisma.sql`
          UPDATE teams SET deleted_at = now() WHERE owner_account_id = ${id} AND deleted_at IS NULL RETURNING id`,
      );
      const keyIds = await lockListedKeys(
        transaction,
        Prisma.sql`${which} AND ${REVOCABLE} AND ${UNEXPIRED}`,
      );
      const revision = await revokeKeys(transaction, which);
      // Not in lower case, as addresses are stored: nobody can sign up with it or look it up.
      await transaction.$executeRaw`
        UPDATE accounts SET email = ${`${id}@${DELETED_DOMAIN}`}, name = ${DELETED_NAME}, sign_in_id = NULL,
          email_verified_at = NULL, signup_pool_due = false, suspended_at = NULL, deleted_at = now()
        WHERE id = ${id}`;
      return { account: await find(transaction, id), keyIds, teamIds, seatIds, revision };
    });
  }
}

/** A condition on api_keys: neither who holds the key nor who owns its team is suspended. */
const NOBODY_SUSPENDED = Prisma.sql`
  NOT EXISTS (SELECT FROM accounts a WHERE a.id = api_keys.account_id AND a.suspended_at IS NOT NULL)
  AND NOT EXISTS (
    SELECT FROM seats s JOIN teams t ON t.id = s.team_id JOIN accounts o ON o.id = t.owner_account_id
    WHERE s.id = api_keys.seat_id AND o.suspended_at IS NOT NULL
  )`;

/**
 * Suspensions and their ends come one after another, because a key may depend on two accounts. The account is
 * locked against new keys, those on the seats of its teams included.
 */
async function lockState(
  transaction: Prisma.TransactionClient,
  id: string,
): Promise<z.infer<typeof stateRows>[number]> {
  await transaction.$executeRaw`SELECT pg_advisory_xact_lock(hashtext('suspended accounts'))`;
  const [state] = stateRows.parse(
    await transaction.$queryRaw`
      SELECT deleted_at IS NOT NULL AS "isDeleted", email FROM accounts WHERE id = ${id} FOR UPDATE`,
  );
  if (state === undefined) throw new ControlPlaneError('not_found', `there is no account ${id}`);
  return state;
}

async function lockAccountState(transaction: Prisma.TransactionClient, id: string): Promise<void> {
  const { isDeleted } = await lockState(transaction, id);
  if (isDeleted) throw new ControlPlaneError('failed_precondition', `the account ${id} is deleted`);
}

/** Its own in other teams, and everybody's in its teams. */
async function endSeatsAndTeamSeats(
  transaction: Prisma.TransactionClient,
  accountId: string,
): Promise<string[]> {
  return await idsOf(
    transaction,
    Prisma.sql`
      UPDATE seats SET removed_at = now() WHERE removed_at IS NULL AND (
        account_id = ${accountId} OR team_id IN (SELECT t.id FROM teams t WHERE t.owner_account_id = ${accountId})
      ) RETURNING id`,
  );
}

async function idsOf(transaction: Prisma.TransactionClient, statement: Prisma.Sql): Promise<string[]> {
  return idRows.parse(await transaction.$queryRaw(statement)).map(({ id }) => id);
}

async function find(transaction: Prisma.TransactionClient, id: string): Promise<StoredAccount> {
  return await transaction.account.findUniqueOrThrow({ where: { id } });
}
