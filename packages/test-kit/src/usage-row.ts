import { randomUUID } from 'node:crypto';
import type { UsageRow } from '../../../services/control-plane/src/settlement/usage-row.ts';

/** The fields of a row that a test sets, which may also have the form of an older release. */
export interface UsageRowChanges extends Partial<Record<keyof UsageRow, unknown>> {
  requestId?: string;
  endedAt?: string;
}

/**
 * Returns a free chat of account acct_test that ended just now, in the form that the function settle_usage
 * takes.
 */
export function usageRow(changes: UsageRowChanges = {}) {
  const standard = {
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
  } satisfies Partial<UsageRow>;
  return { ...standard, ...changes };
}

/** Settles requests as the control plane does, but without one. @param query runs one statement */
export async function settleRows(
  query: (sql: string, values: unknown[]) => Promise<unknown>,
  rows: readonly object[],
): Promise<void> {
  await query('SELECT settle_usage($1::jsonb)', [JSON.stringify(rows)]);
}
