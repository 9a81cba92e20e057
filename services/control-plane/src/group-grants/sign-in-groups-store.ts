import type { Actor } from '../actors/actor.ts';
import { inChainOrder } from '../audit/chain-order-store.ts';
import { recordChange } from '../audit/record-change.ts';
import { PrismaStore } from '../database/prisma-store.ts';
import { applyGrants } from './apply-grants-store.ts';
import type { Grants } from './group-grants.ts';

export interface AppliedSignIn {
  /** False: the person has no account of its own yet, and got no seat. */
  hasAccount: boolean;
  /** Of the last key that was revoked with a seat or a membership. */
  revision: bigint | undefined;
}

/** Gives a person what the groups of its sign-in give. */
export class SignInGroupsStore extends PrismaStore {
  /** @param person its proven address, in lower case */
  async apply(
    actor: Actor,
    { email, grants, name }: { email: string; name: string; grants: Grants },
  ): Promise<AppliedSignIn> {
    return await this.prisma.$transaction(async (transaction) => {
      // Sign-ins of one person at the same moment would give it the same things twice.
      await transaction.$executeRaw`SELECT pg_advisory_xact_lock(hashtext('groups of ' || ${email}))`;
      const account = await transaction.account.findUnique({ where: { email }, select: { id: true } });
      const person = { email, name, accountId: account?.id, grants };
      const { changes, revision } = await applyGrants(transaction, 'oidc', [person]);
      for (const each of await inChainOrder(transaction, changes))
        await recordChange(transaction, actor, each);
      return { hasAccount: account !== null, revision };
    });
  }
}
