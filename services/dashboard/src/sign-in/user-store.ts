import type { Prisma, PrismaClient } from '@model-gateway/database';
import { SlotQueue } from '@model-gateway/service-kit';
import { randomBase62 } from '@model-gateway/shared';
import { prismaAdapter } from 'better-auth/adapters/prisma';
import { z } from 'zod';
import { tooManyChanges } from '../errors/availability-errors.ts';
import { signInElsewhere } from '../errors/sign-in-errors.ts';
import { mapStoreFailure } from './map-store-failure.ts';
import { insertChange, type SignInChange, type UserChange } from './sign-in-change-store.ts';

/** The sign-in library's provider id of passwords. */
const PASSWORD_PROVIDER = 'credential';
const ID_LENGTH = 32;

export interface PasswordOwner {
  id: string;
  email: string;
  name: string;
}

export interface StoredUser extends PasswordOwner {
  emailVerified: boolean;
}

/** A profile whose address the identity provider has verified. */
export interface VerifiedProfile {
  providerId: string;
  subject: string;
  /** The address in lower case. */
  email: string;
  /** Other identity providers: this one cannot take over their users. */
  rivalIds: readonly string[];
}

/** Changes of the app, with whether the user has one before. Otherwise they change nothing. */
const NEEDS_APP = new Map([
  ['totp.added', false],
  ['totp.removed', true],
]);

/**
 * Leaves connections of the pool to all others: a change keeps one while it hashes passwords, and while it
 * waits for another change of its user.
 */
const CHANGES = { places: 2, maxWaiting: 100, maxWaitMs: 10_000 };

const lockedRows = z.array(z.object({ has_app: z.boolean() }));

export type LibraryAdapter = ReturnType<typeof prismaAdapter>;

function adapterOf(client: Prisma.TransactionClient): LibraryAdapter {
  return prismaAdapter(client, { provider: 'postgresql' });
}

export function newSignInId(): string {
  return randomBase62(ID_LENGTH);
}

/**
 * Reads and writes the sign-in library's tables directly. Methods throw DashboardError service_unavailable.
 */
export class UserStore {
  readonly #prisma: PrismaClient;
  readonly #changes = new SlotQueue(CHANGES);

  constructor(prisma: PrismaClient) {
    this.#prisma = prisma;
  }

  libraryAdapter(): LibraryAdapter {
    return adapterOf(this.#prisma);
  }

  /**
   * Lets the sign-in library change its user in one transaction with the record of the change. Changes of one
   * user wait for each other, so that an app that is on is not turned on again.
   * @param call gets the library's adapter for the transaction. A response of 400 or more records nothing
   * @throws DashboardError service_unavailable, also when too many changes wait
   */
  async change(change: UserChange, call: (database: LibraryAdapter) => Promise<Response>): Promise<Response> {
    if (!(await this.#changes.enter())) throw tooManyChanges();
    try {
      return await mapStoreFailure(
        this.#prisma.$transaction(async (transaction) => {
          const [user] = lockedRows.parse(
            await transaction.$queryRaw`
              SELECT two_factor_enabled AS has_app FROM dashboard_users WHERE id = ${change.signInId}
              FOR NO KEY UPDATE`,
          );
          const response = await call(adapterOf(transaction));
          const needsApp = NEEDS_APP.get(change.action) ?? user?.has_app;
          if (response.status < 400 && user?.has_app === needsApp) await insertChange(transaction, change);
          return response;
        }),
      );
    } finally {
      this.#changes.leave();
    }
  }

  async ping(): Promise<void> {
    await mapStoreFailure(this.#prisma.$queryRaw`SELECT 1`);
  }

  /** Deletes expired sessions and verifications. */
  async prune(): Promise<void> {
    const where = { expiresAt: { lt: new Date() } };
    await mapStoreFailure(
      this.#prisma.$transaction([
        this.#prisma.dashboardSession.deleteMany({ where }),
        this.#prisma.dashboardVerification.deleteMany({ where }),
      ]),
    );
  }

  async delete(userId: string): Promise<void> {
    await mapStoreFailure(this.#prisma.dashboardUser.deleteMany({ where: { id: userId } }));
  }

  /** @param email in lower case */
  async findByEmail(email: string): Promise<StoredUser | undefined> {
    const user = await mapStoreFailure(this.#prisma.dashboardUser.findUnique({ where: { email } }));
    return user ?? undefined;
  }

  async find(id: string): Promise<StoredUser | undefined> {
    const user = await mapStoreFailure(this.#prisma.dashboardUser.findUnique({ where: { id } }));
    return user ?? undefined;
  }

  /** Finds how the user can sign in: with a password, and with which identity providers. */
  async credentialsOf(userId: string): Promise<{ hasPassword: boolean; providerIds: string[] }> {
    const rows = await mapStoreFailure(
      this.#prisma.dashboardCredential.findMany({ where: { userId }, select: { providerId: true } }),
    );
    const ids = rows.map(({ providerId }) => providerId);
    return {
      hasPassword: ids.includes(PASSWORD_PROVIDER),
      providerIds: ids.filter((id) => id !== PASSWORD_PROVIDER),
    };
  }

  /** Ends the sessions of users who cannot sign in with one of these providers. */
  async endSessionsWithout(providerIds: readonly string[]): Promise<void> {
    const linked = { credentials: { some: { providerId: { in: [...providerIds] } } } };
    await mapStoreFailure(this.#prisma.dashboardSession.deleteMany({ where: { user: { NOT: linked } } }));
  }

  async markVerified(id: string): Promise<void> {
    await mapStoreFailure(
      this.#prisma.dashboardUser.updateMany({ where: { id }, data: { emailVerified: true } }),
    );
  }

  /**
   * Prepares the sign-in of somebody whose address the identity provider has verified. Deletes a user who
   * never verified that address; links one who did, unless they are linked to another subject of this
   * provider.
   * @throws DashboardError sign_in_elsewhere (they are linked to one of `rivalIds`), service_unavailable
   */
  async admitVerified({ providerId, subject, email, rivalIds }: VerifiedProfile): Promise<void> {
    await mapStoreFailure(
      this.#prisma.$transaction(async ({ dashboardCredential, dashboardUser }) => {
        // Linked already: the subject decides, not the address.
        if ((await dashboardCredential.count({ where: { providerId, accountId: subject } })) > 0) return;
        await dashboardUser.deleteMany({ where: { email, emailVerified: false } });
        const user = await dashboardUser.findUnique({
          where: { email, credentials: { none: { providerId } } },
        });
        if (user === null) return;
        const rivals = { userId: user.id, providerId: { in: [...rivalIds] } };
        if ((await dashboardCredential.count({ where: rivals })) > 0) throw signInElsewhere();
        const data = { id: newSignInId(), accountId: subject, providerId, userId: user.id };
        await dashboardCredential.create({ data });
      }),
    );
  }

  /**
   * Sets the password of a user, creating them if needed, and ends their sessions. The caller has verified
   * the address: this deletes other users with it and, if it was unverified so far, all other credentials.
   * @param endsSecondFactors true: the user may have lost the app and the passkeys, so they end as well
   */
  async setPassword(
    { id, email, name }: PasswordOwner,
    passwordHash: string,
    { endsSecondFactors, change }: { endsSecondFactors: boolean; change: SignInChange },
  ): Promise<void> {
    const { dashboardCredential, dashboardPasskey, dashboardSession, dashboardTwoFactor, dashboardUser } =
      this.#prisma;
    const isReplaced = [{ providerId: PASSWORD_PROVIDER }, { user: { emailVerified: false } }];
    await mapStoreFailure(
      this.#prisma.$transaction([
        // First, as `change` does: otherwise the two could wait for each other.
        this.#prisma.$executeRaw`SELECT FROM dashboard_users WHERE id = ${id} FOR NO KEY UPDATE`,
        dashboardUser.deleteMany({ where: { email, id: { not: id } } }),
        dashboardCredential.deleteMany({ where: { userId: id, OR: isReplaced } }),
        ...(endsSecondFactors
          ? [
              dashboardPasskey.deleteMany({ where: { userId: id } }),
              dashboardTwoFactor.deleteMany({ where: { userId: id } }),
            ]
          : []),
        dashboardUser.upsert({
          where: { id },
          create: { id, email, name, emailVerified: true },
          update: { emailVerified: true, ...(endsSecondFactors && { twoFactorEnabled: false }) },
        }),
        dashboardCredential.create({
          data: {
            id: newSignInId(),
            accountId: id,
            providerId: PASSWORD_PROVIDER,
            userId: id,
            password: passwordHash,
          },
        }),
        dashboardSession.deleteMany({ where: { userId: id } }),
        insertChange(this.#prisma, change),
      ]),
    );
  }
}
