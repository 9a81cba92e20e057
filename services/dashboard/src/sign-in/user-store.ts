import type { PrismaClient } from '@model-gateway/database';
import { randomBase62 } from '@model-gateway/shared';
import { prismaAdapter } from 'better-auth/adapters/prisma';
import { signInUnavailable } from './sign-in-unavailable.ts';

/** The sign-in library's name for the row of a password. */
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

export interface ProvenHolder {
  providerId: string;
  subject: string;
  /** The address in lower case. */
  email: string;
}

export function newSignInId(): string {
  return randomBase62(ID_LENGTH);
}

/** The rows of sign-ins, past the library. Every method throws DashboardError service_unavailable. */
export class UserStore {
  readonly #prisma: PrismaClient;

  constructor(prisma: PrismaClient) {
    this.#prisma = prisma;
  }

  libraryAdapter(): ReturnType<typeof prismaAdapter> {
    return prismaAdapter(this.#prisma, { provider: 'postgresql' });
  }

  async ping(): Promise<void> {
    await signInUnavailable(this.#prisma.$queryRaw`SELECT 1`);
  }

  /** Deletes sessions that have ended, and what was kept for users who were at the identity provider. */
  async prune(): Promise<void> {
    const where = { expiresAt: { lt: new Date() } };
    await signInUnavailable(
      this.#prisma.$transaction([
        this.#prisma.dashboardSession.deleteMany({ where }),
        this.#prisma.dashboardVerification.deleteMany({ where }),
      ]),
    );
  }

  async delete(userId: string): Promise<void> {
    await signInUnavailable(this.#prisma.dashboardUser.deleteMany({ where: { id: userId } }));
  }

  async endSession(sessionId: string): Promise<void> {
    await signInUnavailable(this.#prisma.dashboardSession.deleteMany({ where: { id: sessionId } }));
  }

  /** @param email in lower case */
  async findByEmail(email: string): Promise<StoredUser | undefined> {
    const user = await signInUnavailable(this.#prisma.dashboardUser.findUnique({ where: { email } }));
    return user ?? undefined;
  }

  async find(id: string): Promise<StoredUser | undefined> {
    const user = await signInUnavailable(this.#prisma.dashboardUser.findUnique({ where: { id } }));
    return user ?? undefined;
  }

  async markVerified(id: string): Promise<void> {
    await signInUnavailable(
      this.#prisma.dashboardUser.updateMany({ where: { id }, data: { emailVerified: true } }),
    );
  }

  /**
   * Lets somebody in who has proven an address at the identity provider. A sign-in with that address that
   * never proved it is deleted, with its sessions. A sign-in that has proven it, and has no other holder at
   * this provider, may from now on be used by this one as well.
   * @param proven.subject the holder's id at the identity provider
   */
  async admitProven({ providerId, subject, email }: ProvenHolder): Promise<void> {
    await signInUnavailable(
      this.#prisma.$transaction(async ({ dashboardCredential, dashboardUser }) => {
        // The holder is known already, so the address decides nothing.
        if ((await dashboardCredential.count({ where: { providerId, accountId: subject } })) > 0) return;
        await dashboardUser.deleteMany({ where: { email, emailVerified: false } });
        const user = await dashboardUser.findUnique({
          where: { email, credentials: { none: { providerId } } },
        });
        if (user === null) return;
        const data = { id: newSignInId(), accountId: subject, providerId, userId: user.id };
        await dashboardCredential.create({ data });
      }),
    );
  }

  /**
   * Sets the only password of a sign-in, and ends all its sessions: whoever sets it has proven the address,
   * or an operator vouches for them. If the address was not proven before, all other credentials are deleted,
   * too. If there is no such sign-in, it is created; another one with the same address has no account, and is
   * deleted.
   */
  async setPassword({ id, email, name }: PasswordOwner, passwordHash: string): Promise<void> {
    const { dashboardCredential, dashboardSession, dashboardUser } = this.#prisma;
    const isReplaced = [{ providerId: PASSWORD_PROVIDER }, { user: { emailVerified: false } }];
    await signInUnavailable(
      this.#prisma.$transaction([
        dashboardUser.deleteMany({ where: { email, id: { not: id } } }),
        dashboardCredential.deleteMany({ where: { userId: id, OR: isReplaced } }),
        dashboardUser.upsert({
          where: { id },
          create: { id, email, name, emailVerified: true },
          update: { emailVerified: true },
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
      ]),
    );
  }
}
