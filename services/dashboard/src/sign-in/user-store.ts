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

  /**
   * Makes this the only password of a sign-in and ends all its sessions. The sign-in is created when there is none;
   * another one with the address has no account, and goes.
   */
  async setPassword({ id, email, name }: PasswordOwner, passwordHash: string): Promise<void> {
    const { dashboardCredential, dashboardSession, dashboardUser } = this.#prisma;
    await signInUnavailable(
      this.#prisma.$transaction([
        dashboardUser.deleteMany({ where: { email, id: { not: id } } }),
        dashboardUser.upsert({ where: { id }, create: { id, email, name }, update: {} }),
        dashboardCredential.deleteMany({ where: { userId: id, providerId: PASSWORD_PROVIDER } }),
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
