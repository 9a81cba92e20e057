import type { Actor } from '../actors/actor.ts';
import { inChainOrder } from '../audit/chain-order-store.ts';
import { recordChange } from '../audit/record-change.ts';
import { PrismaStore } from '../database/prisma-store.ts';
import { applyAssignments } from './apply-assignments-store.ts';
import type { AssignmentSource } from './assignment-change.ts';
import type { Assignments } from './group-mappings.ts';

export interface AppliedSignIn {
  /** False: the person has no account of its own yet, and got no seat. */
  hasAccount: boolean;
  /** Key revision of the last key that was revoked with a seat or a membership. */
  revision: bigint | undefined;
}

/** Applies the roles and seats that the groups of a sign-in give. */
export class SignInGroupsStore extends PrismaStore {
  /** @param person its proven address, in lower case */
  async apply(
    actor: Actor,
    {
      assignments,
      email,
      name,
      source,
    }: { email: string; name: string; assignments: Assignments; source: AssignmentSource },
  ): Promise<AppliedSignIn> {
    return await this.prisma.$transaction(async (transaction) => {
      // Serializes concurrent sign-ins of a person, which would add the same seat twice.
      await transaction.$executeRaw`SELECT pg_advisory_xact_lock(hashtext('groups of ' || ${email}))`;
      const account = await transaction.account.findUnique({ where: { email }, select: { id: true } });
      const person = { email, name, accountId: account?.id, assignments };
      const { changes, revision } = await applyAssignments(transaction, source, [person]);
      for (const each of await inChainOrder(transaction, changes))
        await recordChange(transaction, actor, each);
      return { hasAccount: account !== null, revision };
    });
  }
}
