import { z } from 'zod';
import { queryRows, type Transaction } from '../database/prisma-store.ts';
import { applyInstallationRoles } from './apply-installation-roles-store.ts';
import { applyRoles } from './apply-roles-store.ts';
import { applySeats } from './apply-seats-store.ts';
import type { AppliedGrants, GrantedPerson, GrantSource, Targets } from './grant-change.ts';

const accountRows = z.array(z.object({ id: z.string(), email: z.string() }));
const teamRows = z.array(z.object({ id: z.string() }));

/**
 * Gives people what their groups give, and takes away what the same source gave them earlier. What others
 * gave stays.
 * @param onlyAccountId nothing outside this account is given or taken; undefined: no limit
 * @returns events of the changes, for recordChange at the end of the transaction
 */
export async function applyGrants(
  transaction: Transaction,
  source: GrantSource,
  people: readonly GrantedPerson[],
  onlyAccountId?: string,
): Promise<AppliedGrants> {
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
  people: readonly GrantedPerson[],
  onlyAccountId: string | undefined,
): Promise<Targets> {
  const least = people.flatMap((person) => person.least?.accountId ?? []);
  const roles = people.flatMap(({ grants }) => grants.roles.map((each) => each.account));
  const named = [...new Set([...roles, ...least])];
  const teamIds = [...new Set(people.flatMap(({ grants }) => grants.teamIds))];
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
