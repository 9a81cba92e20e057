import { randomUUID } from 'node:crypto';
import { type SettledRecord, settledColumns } from '@model-gateway/database';
import { resolvePayer } from '@model-gateway/shared';

/** The fields of a record that a test sets. */
export type UsageRowChanges = Partial<SettledRecord>;

/** Returns a free chat of account acct_test that ended just now, to be settled. */
export function usageRow(changes: UsageRowChanges = {}): SettledRecord {
  const record = {
    requestId: `req_${randomUUID()}`,
    accountId: 'acct_test',
    keyId: 'key_test',
    modelId: 'sim/chat',
    capability: 'chat',
    inputTokens: 10,
    outputTokens: 5,
    usageSource: 'provider',
    billingReason: 'completed',
    held: '0',
    cost: '0',
    attempts: [],
    endedAt: new Date().toISOString(),
    ...changes,
  };
  return { payer: resolvePayer(record), ...record };
}

/**
 * Settles requests as the control plane does, but without one.
 * @param query runs one statement
 * @param isProvisional true for requests that still run: their records are replaced when they end
 */
export async function settleRows(
  query: (sql: string, values: unknown[]) => Promise<unknown>,
  rows: readonly SettledRecord[],
  isProvisional = false,
): Promise<void> {
  const columns = settledColumns(rows);
  const parameters = columns.map(({ type }, index) => `$${index + 1}::${type}`);
  await query(
    `SELECT settle_usage(${parameters.join(', ')}, ${isProvisional})`,
    columns.map(({ literal }) => literal),
  );
}
