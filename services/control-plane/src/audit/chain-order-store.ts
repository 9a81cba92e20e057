import { z } from 'zod';
import { queryRows, type Transaction } from '../database/prisma-store.ts';

const chainRows = z.array(z.object({ accountId: z.string(), chain: z.int() }));

/**
 * Sorts changes of several accounts by the chains of their events (append_audit_event), so that transactions
 * that lock several heads of chains do not deadlock.
 */
export async function inChainOrder<Change extends { accountId: string | null }>(
  transaction: Transaction,
  changes: readonly Change[],
): Promise<Change[]> {
  const ids = [...new Set(changes.map(({ accountId }) => accountId ?? ''))];
  const rows = await queryRows(transaction, chainRows)`
    SELECT id AS "accountId", hashtext(id) & 15 AS chain FROM unnest(${ids}::text[]) AS id`;
  const chains = new Map(rows.map(({ accountId, chain }) => [accountId, chain]));
  const chainOf = ({ accountId }: Change) => chains.get(accountId ?? '') ?? 0;
  return changes.toSorted((left, right) => chainOf(left) - chainOf(right));
}
