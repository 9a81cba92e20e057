import { Prisma } from '@model-gateway/database';
import { newId } from '@model-gateway/shared';
import { type AccountRole, hasRole } from '@model-gateway/shared/access';
import { z } from 'zod';
import type { RecordedChange } from '../audit/record-change.ts';
import { revokeKeys } from '../data-planes/key-event-store.ts';
import { queryRows, type Transaction } from '../database/prisma-store.ts';
import { changeOf } from '../members/member-change.ts';
import { playgroundKeysOf, revokeKeysOf } from '../members/member-change-store.ts';
import { MEMBER_COLUMNS } from '../members/member-store.ts';
import { storedMember } from '../members/stored-member.ts';
import { withdrawInvitationsBy } from '../members/withdraw-invitations-store.ts';
import type { AppliedAssignments, AssignedPerson, AssignmentChange, Targets } from './assignment-change.ts';
import { isProvisionedBy } from './own-provider-store.ts';

interface WantedRole {
  accountId: string;
  person: AssignedPerson;
  role: AccountRole;
}

const currentRows = z.array(storedMember.extend({ isOthers: z.boolean() }));

/**
 * Adds, changes and removes memberships of the source. Those of others stay, such as members whom the
 * account's own identity provider has, and owners: groups never make one.
 */
export async function applyRoles(
  transaction: Transaction,
  { onlyAccountId, people, source, targets }: AssignmentChange,
): Promise<AppliedAssignments> {
  const wanted = wantedRoles(people, targets);
  const emails = people.map(({ email }) => email);
  const only = onlyAccountId ?? null;
  // Locks the accounts first: a sign-in that is losing its role must not create a key afterwards.
  const wantedIds = [...wanted.values()].map(({ accountId }) => accountId);
  await transaction.$executeRaw`
    SELECT FROM accounts WHERE id = ANY(${wantedIds}) OR id IN (
      SELECT account_id FROM account_members m WHERE m.email = ANY(${emails}) AND m.source = ${source}
    ) ORDER BY id FOR NO KEY UPDATE`;
  const current = await queryRows(transaction, currentRows)`
    SELECT ${MEMBER_COLUMNS}, (
      m.source <> ${source} OR m.role = 'owner' OR (${only}::text IS NULL AND ${isProvisionedBy('m.account_id', 'm.email')})
    ) AS "isOthers"
    FROM account_members m
    WHERE m.email = ANY(${emails}) AND (${only}::text IS NULL OR m.account_id = ${only})
    ORDER BY m.id FOR UPDATE`;
  const changes: RecordedChange[] = [];
  const removed: string[] = [];
  const lowered: string[] = [];
  const withdrawing: string[] = [];
  for (const { isOthers, ...member } of current) {
    const key = keyOf(member.accountId, member.email);
    const role = wanted.get(key)?.role;
    wanted.delete(key);
    if (isOthers || role === member.role) continue;
    if (role === undefined) {
      removed.push(member.id);
      changes.push(changeOf('member.removed', member, null));
    } else {
      await transaction.accountMember.update({ where: { id: member.id }, data: { role } });
      if (!hasRole(role, 'developer')) lowered.push(member.id);
      if (!hasRole(role, 'admin')) withdrawing.push(member.id);
      changes.push(changeOf('member.role_changed', member, { ...member, role }));
    }
  }
  for (const { accountId, person, role } of wanted.values()) {
    const { email, name } = person;
    const data = { id: newId('mem'), accountId, email, name, role, source };
    const member = storedMember.parse(await transaction.accountMember.create({ data }));
    changes.push(changeOf('member.added', null, member));
  }
  const losing = [...removed, ...withdrawing];
  if (losing.length > 0)
    changes.push(...(await withdrawInvitationsBy(transaction, Prisma.sql`maker.id = ANY(${losing})`)));
  if (lowered.length > 0) await revokeKeys(transaction, playgroundKeysOf(lowered));
  if (removed.length === 0) return { changes, revision: undefined };
  await transaction.$executeRaw`DELETE FROM account_members WHERE id = ANY(${removed})`;
  const { revision, revoked } = await revokeKeysOf(transaction, removed);
  return { changes: [...changes, ...revoked], revision };
}

/** Returns the highest role of each person in each account, without accounts that it owns. */
function wantedRoles(people: readonly AssignedPerson[], targets: Targets): Map<string, WantedRole> {
  const wanted = new Map<string, WantedRole>();
  for (const person of people) {
    const { assignments, minRole } = person;
    const min = minRole === undefined ? [] : [{ account: minRole.accountId, role: minRole.role }];
    for (const { account: name, role } of [...assignments.roles, ...min]) {
      const account = targets.accounts.get(name.includes('@') ? name.toLowerCase() : name);
      if (account === undefined || account.email === person.email) continue;
      const key = keyOf(account.id, person.email);
      const earlier = wanted.get(key);
      if (earlier !== undefined && hasRole(earlier.role, role)) continue;
      wanted.set(key, { accountId: account.id, person, role });
    }
  }
  return wanted;
}

function keyOf(accountId: string, email: string): string {
  return `${accountId} ${email}`;
}
