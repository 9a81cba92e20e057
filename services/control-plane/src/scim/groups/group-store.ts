import { newId } from '@model-gateway/shared';
import { z } from 'zod';
import type { Actor } from '../../actors/actor.ts';
import { inChainOrder } from '../../audit/chain-order-store.ts';
import { type RecordedChange, recordChange } from '../../audit/record-change.ts';
import { PrismaStore, queryRows, type Transaction } from '../../database/prisma-store.ts';
import { isUniqueViolation } from '../../database/unique-violation.ts';
import type { GroupMappings } from '../../group-mappings/group-mappings.ts';
import type { Directory } from '../directory.ts';
import { noResource, uniqueness } from '../scim-error.ts';
import type { GroupAttributes } from './group-attributes.ts';
import { changeMembers } from './group-members-store.ts';
import type { GroupChange } from './patch-group.ts';
import { groupAuditResource, type StoredGroup } from './stored-group.ts';
import { lockDirectory, syncUsers } from './sync-users-store.ts';

export interface ChangedGroup {
  group: StoredGroup;
  /** Key revision of the last key that was revoked with a seat or a membership. */
  revision: bigint | undefined;
}

const userRows = z.array(z.object({ userId: z.string() }));

/** Stores groups of identity providers. A change and its effects on roles and seats are one transaction. */
export class ScimGroupStore extends PrismaStore {
  /** @throws ScimError 400, 409 uniqueness, 413 */
  async create(
    actor: Actor,
    directory: Directory,
    { displayName, externalId, members = [] }: GroupAttributes,
    mappings: GroupMappings,
  ): Promise<ChangedGroup> {
    return await orTaken(
      this.prisma.$transaction(async (transaction) => {
        await lockDirectory(transaction, directory);
        const data = {
          displayName,
          displayNameKey: displayName.toLowerCase(),
          externalId: externalId ?? null,
        };
        const group = await transaction.scimGroup.create({
          data: { id: newId('grp'), directory: directory.key, ...data },
        });
        const { added } = await changeMembers(transaction, directory, group.id, [
          { op: 'add', ids: members },
        ]);
        const { changes, revision } = await syncUsers(transaction, directory, mappings, added);
        await record(transaction, actor, [
          groupChange('scim.group_created', directory, null, { group, userIds: added }),
          ...changes,
        ]);
        return { group, revision };
      }),
    );
  }

  /**
   * @param next returns the change; may throw
   * @throws ScimError 400, 404, 409 uniqueness, 413, and those of `next`
   */
  async change(
    actor: Actor,
    directory: Directory,
    id: string,
    mappings: GroupMappings,
    next: (current: StoredGroup) => GroupChange,
  ): Promise<ChangedGroup> {
    return await orTaken(
      this.prisma.$transaction(async (transaction) => {
        await lockDirectory(transaction, directory);
        const before = await lockGroup(transaction, directory, id);
        const wanted = next(before);
        const { displayName = before.displayName, externalId = before.externalId } = wanted;
        const { added, removed } = await changeMembers(transaction, directory, id, wanted.members);
        const isRenamed = displayName !== before.displayName || externalId !== before.externalId;
        if (!isRenamed && added.length + removed.length === 0) return { group: before, revision: undefined };
        const names = { displayName, displayNameKey: displayName.toLowerCase(), externalId };
        const version = before.version + 1;
        const data = { ...names, version, updatedAt: new Date() };
        const group = await transaction.scimGroup.update({ where: { id }, data });
        // Mappings name groups, so a new name concerns all members.
        const affected = isRenamed
          ? [...(await membersOf(transaction, id)), ...removed]
          : [...added, ...removed];
        const { changes, revision } = await syncUsers(transaction, directory, mappings, affected);
        await record(transaction, actor, [
          groupChange(
            'scim.group_changed',
            directory,
            { group: before, userIds: removed },
            { group, userIds: added },
          ),
          ...changes,
        ]);
        return { group, revision };
      }),
    );
  }

  /** @throws ScimError 404, and those of `check` */
  async delete(
    actor: Actor,
    directory: Directory,
    id: string,
    mappings: GroupMappings,
    check: (current: StoredGroup) => void,
  ): Promise<{ revision: bigint | undefined }> {
    return await orTaken(
      this.prisma.$transaction(async (transaction) => {
        await lockDirectory(transaction, directory);
        const group = await lockGroup(transaction, directory, id);
        check(group);
        const userIds = await membersOf(transaction, id);
        await transaction.scimGroup.delete({ where: { id } });
        const { changes, revision } = await syncUsers(transaction, directory, mappings, userIds);
        await record(transaction, actor, [
          groupChange('scim.group_deleted', directory, { group, userIds }, null),
          ...changes,
        ]);
        return { revision };
      }),
    );
  }
}

/** @throws ScimError 409 */
async function orTaken<Result>(written: Promise<Result>): Promise<Result> {
  try {
    return await written;
  } catch (error) {
    throw isUniqueViolation(error) ? uniqueness('another group has this displayName') : error;
  }
}

/** @throws ScimError 404 */
async function lockGroup(transaction: Transaction, { key }: Directory, id: string): Promise<StoredGroup> {
  await transaction.$executeRaw`SELECT FROM scim_groups WHERE id = ${id} FOR UPDATE`;
  const group = await transaction.scimGroup.findUnique({ where: { id, directory: key } });
  if (group === null) throw noResource(`there is no group ${id}`);
  return group;
}

async function membersOf(transaction: Transaction, groupId: string): Promise<string[]> {
  const rows = await queryRows(transaction, userRows)`
    SELECT user_id AS "userId" FROM scim_group_members WHERE group_id = ${groupId} ORDER BY user_id`;
  return rows.map(({ userId }) => userId);
}

async function record(
  transaction: Transaction,
  actor: Actor,
  changes: readonly RecordedChange[],
): Promise<void> {
  for (const each of await inChainOrder(transaction, changes)) await recordChange(transaction, actor, each);
}

/** @param userIds members that the group lost or got; a deleted group: all that it had */
function groupChange(
  action: RecordedChange['action'],
  { accountId }: Directory,
  before: { group: StoredGroup; userIds: string[] } | null,
  after: { group: StoredGroup; userIds: string[] } | null,
): RecordedChange {
  const group = (after ?? before)?.group;
  if (group === undefined) throw new Error('a group change needs a group before or after it');
  return {
    action,
    object: { type: 'scim_group', id: group.id, name: group.displayName },
    accountId,
    before: before && groupAuditResource(before.group, before.userIds),
    after: after && groupAuditResource(after.group, after.userIds),
  };
}
