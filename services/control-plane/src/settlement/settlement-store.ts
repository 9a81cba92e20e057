import {
  checkpointColumns,
  handOverRequests,
  Prisma,
  SETTLED_UNITS,
  type SettledColumn,
  type SettledRecord,
  settleRecords,
} from '@model-gateway/database';
import { PrismaStore } from '../database/prisma-store.ts';
import { areRequests } from '../partitions/arrival-store.ts';
import type { MinuteOutcomes } from '../status/health-store.ts';
import { storeOutcomes } from './outcome-counts-store.ts';
import { KEEP_MS } from './settled-record.ts';

export type { SettledRecord };

const UNIT_COUNT = Prisma.raw(String(SETTLED_UNITS.length));
/** Last results of a model that nobody requests are kept this long. */
const KEEP_LAST_MS = 30 * 24 * 3_600_000;
/** The longest period of the overview, a week earlier, and more. */
const KEEP_HOURS_MS = 40 * 24 * 3_600_000;

/** Stores consumption, cost and outcomes of requests, and which batches are counted. */
export class SettlementStore extends PrismaStore {
  /** Stores and charges ended requests in one statement, once each. RollUps sums them within a minute. */
  async settle(records: readonly SettledRecord[]): Promise<void> {
    await settleRecords(this.prisma, records);
  }

  /** Stores and charges requests provisionally, and leaves their responses to other data planes. */
  async handOver(records: readonly SettledRecord[]): Promise<void> {
    await handOverRequests(this.prisma, records);
  }

  /** Stores consumption of running streams until they are settled or their data plane is gone. */
  async checkpoint(records: readonly SettledRecord[]): Promise<void> {
    const stored = areRequests(records.map(({ requestId }) => requestId));
    const columns = checkpointColumns(records);
    const single = columns.filter(({ name }) => name !== 'units');
    const units = columns.filter(({ name }) => name === 'units');
    const names = (of: readonly SettledColumn[], prefix = '') =>
      Prisma.raw(of.map(({ name }) => `${prefix}${name}`).join(', '));
    const values = (of: readonly SettledColumn[]) =>
      Prisma.join(of.map(({ type, literal }) => Prisma.sql`${literal}::${Prisma.raw(type)}`));
    await this.prisma.$executeRaw`
      INSERT INTO usage_checkpoints (${names(single)}, units)
      SELECT ${names(single)}, (${values(units)})[${UNIT_COUNT} * (place - 1) + 1 : ${UNIT_COUNT} * place]
      FROM unnest(${values(single)}) WITH ORDINALITY AS given (${names(single)}, place)
      WHERE allowance_id IS NOT NULL
        AND request_id <> ALL(ARRAY(SELECT r.request_id FROM usage_records r WHERE ${stored}))
      ORDER BY request_id
      ON CONFLICT (request_id) DO UPDATE SET (${names(single)}, units, updated_at)
        = (${names(single, 'EXCLUDED.')}, EXCLUDED.units, now())`;
  }

  /** Adds a batch's counts once (outcome-counts-store.ts). */
  async countOutcomes(batchId: string, rows: readonly MinuteOutcomes[]): Promise<void> {
    await storeOutcomes(this.prisma, batchId, rows);
  }

  /**
   * Deletes minutes and batches that no figure needs. Keeps the last minute per model and provider longer,
   * because a failing model does not recover only because nobody requests it.
   */
  async prune(): Promise<void> {
    const until = new Date(Date.now() - KEEP_MS);
    await this.prisma.$executeRaw`
      INSERT INTO model_last_minutes AS known
      SELECT DISTINCT ON (model_id, provider_id) model_id, provider_id, minute, attempts, failed_attempts,
        requests, failed_requests, gave_up, accounts
      FROM model_minutes WHERE minute < ${until}
      ORDER BY model_id, provider_id, minute DESC
      ON CONFLICT (model_id, provider_id) DO UPDATE SET
        minute = EXCLUDED.minute,
        attempts = EXCLUDED.attempts,
        failed_attempts = EXCLUDED.failed_attempts,
        requests = EXCLUDED.requests,
        failed_requests = EXCLUDED.failed_requests,
        gave_up = EXCLUDED.gave_up,
        accounts = EXCLUDED.accounts
      WHERE EXCLUDED.minute > known.minute`;
    await this.prisma.$executeRaw`DELETE FROM model_minutes WHERE minute < ${until}`;
    const lastUntil = new Date(Date.now() - KEEP_LAST_MS);
    await this.prisma.$executeRaw`DELETE FROM model_last_minutes WHERE minute < ${lastUntil}`;
    const hoursUntil = new Date(Date.now() - KEEP_HOURS_MS);
    await this.prisma.$executeRaw`DELETE FROM model_hours WHERE hour < ${hoursUntil}`;
    await this.prisma.$executeRaw`DELETE FROM model_days WHERE day < ${hoursUntil}`;
    await this.prisma.$executeRaw`DELETE FROM settled_batches WHERE settled_at < ${until}`;
  }
}
