import { PrismaStore, type Transaction } from '../database/prisma-store.ts';

/** State of an object as events last reported it (ReportedState in prisma/schema.prisma). */
export interface ReportedState {
  kind: 'budget' | 'pool' | 'key' | 'provider' | 'unpriced' | 'ledger';
  id: string;
  level: number;
  amount?: bigint | null;
  period?: Date | null;
}

export async function storeReportedState(
  transaction: Transaction,
  { kind, id, level, amount = null, period = null }: ReportedState,
): Promise<void> {
  await transaction.$executeRaw`
    INSERT INTO reported_states (kind, id, level, amount, period)
    VALUES (${kind}, ${id}, ${level}::int, ${amount}::bigint, ${period}::timestamptz)
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
