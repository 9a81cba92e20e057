import { Prisma } from '@model-gateway/database';
import type { Transaction } from '../database/prisma-store.ts';

interface EndUser {
  accountId: string;
  endUser: string;
}

/** Matches events of requests that name an end user. */
export function isOfEndUser({ accountId, endUser }: EndUser): Prisma.Sql {
  return Prisma.sql`account_id = ${accountId} AND data->>'end_user' = ${endUser}`;
}

/**
 * Removes an end user's id from stored events, and from what was reported of its budgets.
 * @param budgets ids that its budgets can have
 */
export async function forgetEndUserInEvents(
  transaction: Transaction,
  { accountId, endUser }: EndUser,
  budgets: readonly string[],
): Promise<void> {
  await transaction.$executeRaw`
    UPDATE events SET data = data || '{"end_user": null}' WHERE ${isOfEndUser({ accountId, endUser })}`;
  await transaction.$executeRaw`
    UPDATE events SET data = data || '{"scope_id": "", "scope_name": ""}'
    WHERE account_id = ${accountId} AND type = 'budget.threshold_reached'
      AND data->>'scope' = 'end_user' AND data->>'scope_id' = ${endUser}`;
  await transaction.$executeRaw`
    DELETE FROM reported_states WHERE kind = 'budget' AND split_part(id, '/', 1) = ANY(${[...budgets]}::text[])
      AND id = concat_ws('/', split_part(id, '/', 1), split_part(id, '/', 2), ${endUser}::text)`;
}
