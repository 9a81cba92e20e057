import type { PrismaClient } from '@model-gateway/database';
import { randomBase62 } from '@model-gateway/shared';
import { prismaAdapter } from 'better-auth/adapters/prisma';
import { signInUnavailable } from './sign-in-unavailable.ts';

/** What the sign-in library calls a password's row. */
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
  /** In lower case. */
  email: string;
}

export function newSignInId(): string {
  return randomBase62(ID_LENGTH);
}

/** The rows of sign-ins, past the sign-in library. Every method throws DashboardError service_unavailable. */
export class UserStore {
  readonly #prisma: PrismaClient;

  constructor(prisma: PrismaClient) {
    this.#prisma = prisma;
  }

  /** For the sign-in library, which finds its tables by the names that it is given. */
  libraryAdapter(): ReturnType<typeof prismaAdapter> {
    return prismaAdapter(this.#prisma, { provider: 'postgresql' });
  }

  async ping(): Promise<void> {
    await signInUnavailable(this.#prisma.$queryRaw`SELECT 1`);
  }

  /** Sessions that have ended, and what was kept while somebody was away at the identity provider. */
  async prune(): Promise<void> {
    const where = { expiresAt: { lt: new Date() } };
    await signInUnavailable(
      this.#prisma.$transaction([
        this.#prisma.dashboardSession.deleteMany({ where }),
        this.#prisma.dashboardVerification.deleteMany({ where }),
      ]),
    );
  }

  /** Its sessions and credentials go with it. */
  async delete(userId: string): Promise<void> {
    await signInUnavailable(this.#prisma.dashboardUser.deleteMany({ where: { id: userId } }));
  }

  /** Ends one session. */
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
   * Makes room for whoever has proven an address at the identity provider: a sign-in of the address that
   * never proved it goes, with its sessions; one that has, and knows no other holder there, lets this one in,
   * too.
   * @param proven.subject who that is at the identity provider
   */
  async admitProven({ providerId, subject, email }: ProvenHolder): Promise<void> {
    await signInUnavailable(
      this.#prisma.$transaction(async ({ dashboardCredential, dashboardUser }) => {
        // Known already: the address says nothing more about whose sign-in it is.
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
   * Makes this the only password of a sign-in and ends all its sessions: whoever sets it has proven the
   * address, or an operator vouches for that. Whatever else a sign-in had that never proved it goes, too. The
   * sign-in is created when there is none; another one with the address has no account, and goes.
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
