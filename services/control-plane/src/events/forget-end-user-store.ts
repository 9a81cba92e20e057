import type { Transaction } from '../database/prisma-store.ts';

/**
 * Removes an end user's id from stored events, and from what was reported of its budgets.
 * @param budgets ids that its budgets can have
 */
export async function forgetEndUserInEvents(
  transaction: Transaction,
  { accountId, endUser }: { accountId: string; endUser: string },
  budgets: readonly string[],
): Promise<void> {
  await transaction.$executeRaw`
    UPDATE events SET data = CASE
      WHEN data->>'scope' = 'end_user' THEN data || '{"scope_id": "", "scope_name": ""}'
      ELSE data || '{"end_user": null}'
    END
    WHERE account_id = ${accountId} AND (
      data->>'end_user' = ${endUser} OR data->>'scope' = 'end_user' AND data->>'scope_id' = ${endUser}
    )`;
  await transaction.$executeRaw`
    DELETE FROM reported_states WHERE kind = 'budget' AND split_part(id, '/', 1) = ANY(${[...budgets]}::text[])
      AND id = concat_ws('/', split_part(id, '/', 1), split_part(id, '/', 2), ${endUser}::text)`;
}
