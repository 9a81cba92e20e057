import type { Transaction } from '../../database/prisma-store.ts';
import { applyAssignments } from '../../group-mappings/apply-assignments-store.ts';
import type { AppliedAssignments } from '../../group-mappings/assignment-change.ts';
import type { GroupMappings } from '../../group-mappings/group-mappings.ts';
import { isProvisionedBy } from '../../group-mappings/own-provider-store.ts';
import type { Directory } from '../directory.ts';
import { syncUsers } from '../groups/sync-users-store.ts';
import type { StoredUser } from './stored-user.ts';

const NO_ASSIGNMENTS = { roles: [], teamIds: [], installation: [] };

/**
 * Gives the places of a user to its new address, with their keys. Nothing that groups gave stays at the old
 * address, which may become another person's. A role that a person gave does not move: an identity provider
 * could take it for any address.
 * @param before the user with its old address; scim_users has the new one
 * @param transaction holds the lock of lockDirectory
 */
export async function moveUser(
  transaction: Transaction,
  directory: Directory,
  before: StoredUser,
  { email, mappings }: { email: string; mappings: GroupMappings },
): Promise<AppliedAssignments> {
  const isMoved = before.email !== email && (await moveMembers(transaction, directory, before, email));
  if (!isMoved) return { changes: [], revision: undefined };
  const { accountId } = directory;
  const account =
    accountId === null
      ? null
      : await transaction.account.findUnique({ where: { email: before.email }, select: { id: true } });
  const left = { email: before.email, name: '', accountId: account?.id, assignments: NO_ASSIGNMENTS };
  const taken = await applyAssignments(transaction, 'scim', [left], accountId ?? undefined);
  const given = await syncUsers(transaction, directory, mappings, [before.id]);
  return { changes: [...taken.changes, ...given.changes], revision: given.revision ?? taken.revision };
}

/** @returns false if the place of the user keeps its address */
async function moveMembers(
  transaction: Transaction,
  { accountId }: Directory,
  before: StoredUser,
  email: string,
): Promise<boolean> {
  if (accountId !== null) {
    const where = { id: before.memberId ?? '', source: 'scim', role: { not: 'owner' } };
    return (await transaction.accountMember.updateMany({ where, data: { email } })).count > 0;
  }
  await transaction.$executeRaw`
    UPDATE account_members m SET email = ${email}
    WHERE m.email = ${before.email} AND m.source = 'scim' AND m.role <> 'owner'
      AND NOT ${isProvisionedBy('m.account_id', 'm.email')}
      AND NOT EXISTS (SELECT FROM account_members o WHERE o.account_id = m.account_id AND o.email = ${email})`;
  return true;
}
