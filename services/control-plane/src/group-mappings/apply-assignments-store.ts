import { z } from 'zod';
import { queryRows, type Transaction } from '../database/prisma-store.ts';
import { applyInstallationRoles } from './apply-installation-roles-store.ts';
import { applyRoles } from './apply-roles-store.ts';
import { applySeats } from './apply-seats-store.ts';
import type { AppliedAssignments, AssignedPerson, AssignmentSource, Targets } from './assignment-change.ts';

const accountRows = z.array(z.object({ id: z.string(), email: z.string() }));
const teamRows = z.array(z.object({ id: z.string() }));

/**
 * Assigns roles and seats to people by their groups, and removes those that the same source assigned earlier
 * and their groups do not give any more. Assignments of other sources stay.
 * @param onlyAccountId limits all changes to this account; undefined: no limit
 * @returns events of the changes, for recordChange at the end of the transaction
 */
export async function applyAssignments(
  transaction: Transaction,
  source: AssignmentSource,
  people: readonly AssignedPerson[],
  onlyAccountId?: string,
): Promise<AppliedAssignments> {
  const targets = await findTargets(transaction, people, onlyAccountId);
  const given = { source, people, targets, onlyAccountId };
  const roles = await applyRoles(transaction, given);
  const seats = await applySeats(transaction, given);
  const installation =
    onlyAccountId === undefined ? await applyInstallationRoles(transaction, given) : { changes: [] };
  return {
    changes: [...roles.changes, ...seats.changes, ...installation.changes],
    revision: seats.revision ?? roles.revision,
  };
}

async function findTargets(
  transaction: Transaction,
  people: readonly AssignedPerson[],
  onlyAccountId: string | undefined,
): Promise<Targets> {
  const minRoles = people.flatMap(({ minRole }) => minRole?.accountId ?? []);
  const roles = people.flatMap(({ assignments }) => assignments.roles.map((each) => each.account));
  const named = [...new Set([...roles, ...minRoles])];
  const teamIds = [...new Set(people.flatMap(({ assignments }) => assignments.teamIds))];
  const only = onlyAccountId ?? null;
  const found = await queryRows(transaction, accountRows)`
    SELECT id, email FROM accounts
    WHERE (id = ANY(${named}) OR email = ANY(${named.map((name) => name.toLowerCase())}))
      AND deleted_at IS NULL AND (${only}::text IS NULL OR id = ${only})`;
  const teams = await queryRows(transaction, teamRows)`
    SELECT id FROM teams WHERE id = ANY(${teamIds}) AND deleted_at IS NULL
      AND (${only}::text IS NULL OR owner_account_id = ${only}) FOR SHARE`;
  const byId = found.map((account) => [account.id, account] as const);
  const byEmail = found.map((account) => [account.email, account] as const);
  return { accounts: new Map([...byId, ...byEmail]), teamIds: new Set(teams.map(({ id }) => id)) };
}
