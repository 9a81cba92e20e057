import { PrismaStore, type Transaction } from '../database/prisma-store.ts';

/** State of an object as events last reported it (ReportedState in prisma/schema.prisma). */
export interface ReportedState {
  kind: 'budget' | 'pool' | 'key' | 'provider' | 'unpriced' | 'ledger';
  id: string;
  level: number;
  amount?: bigint | null;
  period?: Date | null;
}

/** Stores states of different objects in one statement: there may be thousands. */
export async function storeReportedStates(
  transaction: Transaction,
  states: readonly ReportedState[],
): Promise<void> {
  if (states.length === 0) return;
  const rows = states.map(({ amount, ...state }) => ({ ...state, amount: amount?.toString() }));
  await transaction.$executeRaw`
    INSERT INTO reported_states (kind, id, level, amount, period)
    SELECT * FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      AS (kind text, id text, level int, amount bigint, period timestamptz) ORDER BY kind, id
    ON CONFLICT (kind, id) DO UPDATE SET level = EXCLUDED.level, amount = EXCLUDED.amount,
      period = EXCLUDED.period, reported_at = now()`;
}

export class ReportedStateStore extends PrismaStore {
  /** Deletes states of what has ended, so that the table does not grow. */
  async prune(): Promise<void> {
    await this.prisma.$executeRaw`
      DELETE FROM reported_states s
      WHERE s.reported_at < now() - interval '2 days' AND CASE s.kind
        WHEN 'budget' THEN NOT EXISTS (SELECT FROM budget_windows w WHERE w.id = s.id)
        WHEN 'pool' THEN NOT EXISTS (SELECT FROM pools p WHERE p.id = s.id AND p.removed_at IS NULL)
        WHEN 'key' THEN s.period < now()
        WHEN 'provider' THEN NOT EXISTS (SELECT FROM providers p WHERE p.id = s.id AND p.retired_at IS NULL)
        WHEN 'unpriced' THEN true
        ELSE false
      END`;
  }
}
