import { Prisma } from '@model-gateway/database';
import { z } from 'zod';
import { queryRows, type Transaction } from '../../database/prisma-store.ts';
import { applyAssignments } from '../../group-mappings/apply-assignments-store.ts';
import type { AppliedAssignments } from '../../group-mappings/assignment-change.ts';
import { assignmentsOf, type GroupMappings } from '../../group-mappings/group-mappings.ts';
import type { Directory } from '../directory.ts';

const userRows = z.array(
  z.object({
    email: z.string(),
    name: z.string(),
    accountId: z.string(),
    memberId: z.string().nullable(),
    ownAccountId: z.string().nullable(),
    groups: z.array(z.string()),
  }),
);

/**
 * Users with the address of their place. In the directory of one account that is the address of the member,
 * or of the owner: it may have stayed when that of the user changed.
 */
const ADDRESSED_USERS = Prisma.sql`
  SELECT s.*, CASE WHEN s.scope = '' THEN s.email ELSE coalesce(m.email, a.email) END AS address
  FROM scim_users s LEFT JOIN account_members m ON m.id = s.member_id JOIN accounts a ON a.id = s.account_id`;

/** Lets one change of a directory's groups compute at a time what groups give. */
export async function lockDirectory(transaction: Transaction, { key }: Directory): Promise<void> {
  await transaction.$executeRaw`SELECT pg_advisory_xact_lock(hashtext('groups of ' || ${key}))`;
}

/**
 * Updates the roles and seats of users to those that their groups give. Mappings name a group by its name
 * or its external id, which is the id that Entra ID sends at a sign-in.
 * @param transaction holds the lock of lockDirectory
 * @returns events of the changes, for the end of the transaction
 */
export async function syncUsers(
  transaction: Transaction,
  directory: Directory,
  mappings: GroupMappings,
  userIds: readonly string[],
): Promise<AppliedAssignments> {
  if (userIds.length === 0) return { changes: [], revision: undefined };
  const users = await queryRows(transaction, userRows)`
    SELECT u.address AS email, u.display_name AS name, u.account_id AS "accountId", u.member_id AS "memberId",
      CASE WHEN u.scope = '' THEN u.account_id
        ELSE (SELECT a.id FROM accounts a WHERE a.email = u.address) END AS "ownAccountId",
      coalesce(
        array_agg(n.name) FILTER (WHERE n.name IS NOT NULL), ARRAY[]::text[]
      ) AS groups
    FROM (${ADDRESSED_USERS}) u
    LEFT JOIN scim_group_members gm ON gm.user_id = u.id
    LEFT JOIN scim_groups g ON g.id = gm.group_id
    LEFT JOIN LATERAL unnest(ARRAY[g.display_name, g.external_id]) AS n (name) ON true
    WHERE u.directory = ${directory.key} AND u.id = ANY(${[...userIds]})
    GROUP BY u.id, u.address, u.display_name, u.account_id, u.member_id, u.scope`;
  const accountId = directory.accountId ?? undefined;
  const people = users.map((user) => ({
    email: user.email,
    name: user.name,
    accountId: user.ownAccountId ?? undefined,
    assignments: assignmentsOf(mappings, { provider: directory.provider, groups: user.groups, accountId }),
    minRole: user.memberId === null ? undefined : { accountId: user.accountId, role: 'developer' as const },
  }));
  return await applyAssignments(transaction, 'scim', people, accountId);
}
