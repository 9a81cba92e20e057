import type { PrismaClient } from '@model-gateway/database';
import { z } from 'zod';
import { queryRows } from '../database/prisma-store.ts';

const DAY_MS = 86_400_000;
const CHUNK_ROWS = 1_000;
/** One run removes this many chunks of each chain; the next run goes on. */
const MAX_CHUNKS = 30;

const chainRows = z.array(z.object({ chain: z.int() }));
const removedRows = z.tuple([z.object({ removed: z.int() })]);

/** Removes the oldest events of each chain, and moves the beginning of the chain behind them. */
export class AuditRetentionStore {
  readonly #prisma: PrismaClient;
  readonly #days: number;

  /** @param days at least 1 */
  constructor(prisma: PrismaClient, days: number) {
    this.#prisma = prisma;
    this.#days = days;
  }

  /** Returns the time since which events are kept. */
  keptSince(): Date {
    return new Date(Date.now() - this.#days * DAY_MS);
  }

  async prune(before: Date = this.keptSince()): Promise<void> {
    const chains = await queryRows(this.#prisma, chainRows)`SELECT chain FROM audit_chains ORDER BY chain`;
    for (const { chain } of chains) {
      for (let chunk = 0; chunk < MAX_CHUNKS; chunk++) {
        if ((await this.#removeOldest(chain, before)) < CHUNK_ROWS) break;
      }
    }
  }

  /**
   * Removes events up to the first that is young enough. The beginning moves in the same statement, so that
   * the chain is whole at any time. The lock on the beginning keeps other control planes out; changes that
   * append wait for one chunk.
   */
  async #removeOldest(chain: number, before: Date): Promise<number> {
    const [{ removed }] = await queryRows(this.#prisma, removedRows)`
      WITH ends AS (
        SELECT start_position FROM audit_chains WHERE chain = ${chain} FOR NO KEY UPDATE SKIP LOCKED
      ), oldest AS (
        SELECT e.position, e.hash, bool_and(e.at < ${before}::timestamptz) OVER (ORDER BY e.position) AS is_old
        FROM audit_events e, ends
        WHERE e.chain = ${chain} AND e.position BETWEEN ends.start_position + 1 AND ends.start_position + ${CHUNK_ROWS}
      ), removed AS (
        DELETE FROM audit_events e USING oldest o
        WHERE e.chain = ${chain} AND e.position = o.position AND o.is_old RETURNING e.position, e.hash
      ), moved AS (
        UPDATE audit_chains c SET start_position = r.position, start_hash = r.hash
        FROM (SELECT position, hash FROM removed ORDER BY position DESC LIMIT 1) AS r WHERE c.chain = ${chain}
      )
      SELECT count(*)::int AS removed FROM removed`;
    return removed;
  }
}
