import { Prisma } from '@model-gateway/database';
import { z } from 'zod';
import { queryRows, type Transaction } from '../../database/prisma-store.ts';
import type { Directory } from '../directory.ts';
import { type Column, type Columns, filterSql } from '../filter/filter-sql-store.ts';
import { invalidValue, ScimError } from '../scim-error.ts';
import { MAX_MEMBERS } from './group-attributes.ts';
import type { MemberChange } from './patch-group.ts';

const idRows = z.array(z.object({ userId: z.string() }));
const countRows = z.tuple([z.object({ count: z.int() })]);

/** Attributes of a member in a path such as members[value eq "…"]. */
const MEMBER: Columns = new Map<string, Column>([
  ['value', { type: 'text', sql: Prisma.sql`gm.user_id` }],
  ['display', { type: 'text', sql: Prisma.sql`u.user_name_key`, ignoresCase: true }],
]);

export interface ChangedMembers {
  added: string[];
  removed: string[];
}

/**
 * Applies changes to the members of a group, in their order.
 * @param transaction holds a lock on the group
 * @throws ScimError 400 (no such user), 413 (too many)
 */
export async function changeMembers(
  transaction: Transaction,
  directory: Directory,
  groupId: string,
  changes: readonly MemberChange[],
): Promise<ChangedMembers> {
  const added = new Set<string>();
  const removed = new Set<string>();
  const remove = async (which: Prisma.Sql) => {
    const rows = await queryRows(transaction, idRows)`
      DELETE FROM scim_group_members gm USING scim_users u
      WHERE gm.group_id = ${groupId} AND u.id = gm.user_id AND ${which} RETURNING gm.user_id AS "userId"`;
    for (const { userId } of rows) if (!added.delete(userId)) removed.add(userId);
  };
  const add = async (ids: string[]) => {
    const rows = await queryRows(transaction, idRows)`
      INSERT INTO scim_group_members (group_id, user_id) SELECT ${groupId}, id FROM unnest(${ids}::text[]) AS id
      ON CONFLICT DO NOTHING RETURNING user_id AS "userId"`;
    for (const { userId } of rows) if (!removed.delete(userId)) added.add(userId);
  };
  for (const change of changes) {
    if (change.op === 'clear') await remove(Prisma.sql`true`);
    else if (change.op === 'filter') await remove(filterSql(change.where, MEMBER));
    else {
      const ids = [...change.ids];
      if (change.op === 'remove') await remove(Prisma.sql`gm.user_id = ANY(${ids})`);
      else await requireUsers(transaction, directory, ids);
      if (change.op === 'replace') await remove(Prisma.sql`NOT gm.user_id = ANY(${ids})`);
      if (change.op !== 'remove') await add(ids);
    }
  }
  await requireFewMembers(transaction, groupId);
  return { added: [...added], removed: [...removed] };
}

/** @throws ScimError 400: one of them is no user of the directory */
async function requireUsers(
  transaction: Transaction,
  { key }: Directory,
  ids: readonly string[],
): Promise<void> {
  const [unknown] = await queryRows(transaction, idRows)`
    SELECT id AS "userId" FROM unnest(${[...ids]}::text[]) AS id
    WHERE NOT EXISTS (SELECT FROM scim_users u WHERE u.id = id.id AND u.directory = ${key}) LIMIT 1`;
  if (unknown !== undefined) throw invalidValue(`there is no user ${unknown.userId.slice(0, 100)}`);
}

async function requireFewMembers(transaction: Transaction, groupId: string): Promise<void> {
  const [{ count }] = await queryRows(transaction, countRows)`
    SELECT count(*)::int AS count FROM scim_group_members WHERE group_id = ${groupId}`;
  if (count > MAX_MEMBERS) throw new ScimError(413, `a group has at most ${MAX_MEMBERS} members`);
}
