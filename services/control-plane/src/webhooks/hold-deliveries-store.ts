import type { Transaction } from '../database/prisma-store.ts';

/** Ends the waiting deliveries of a webhook that is disabled, or was removed. */
export async function holdDeliveries(
  transaction: Pick<Transaction, '$executeRaw'>,
  target: string,
): Promise<void> {
  await transaction.$executeRaw`
    UPDATE webhook_deliveries SET state = 'held', due_at = NULL
    WHERE target = ${target} AND due_at IS NOT NULL`;
}
