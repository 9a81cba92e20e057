import { Prisma, type PrismaClient } from '@model-gateway/database';

const DAY_MS = 86_400_000;
const CHUNK_ROWS = 10_000;
/** One run deletes this many chunks; the next run goes on. */
const MAX_CHUNKS = 30;
/** Partitions with records of many days. */
const NOT_OF_A_DAY = [Prisma.raw('usage_records_undated'), Prisma.raw('usage_records_rest')];

/** Sums by model last as long as the overview compares with a week before: minutes, and wider ones. */
const MODEL_MINUTES_MS = 8 * DAY_MS;
const MODEL_HOURS_MS = 40 * DAY_MS;

/** Deletes old usage records and minute roll-ups; keeps hours and days of accounts. */
export class UsageRetentionStore {
  readonly #prisma: PrismaClient;
  readonly #days: number;

  /** @param days at least 2, so that a late settlement finds its record and does not charge again */
  constructor(prisma: PrismaClient, days: number) {
    this.#prisma = prisma;
    this.#days = days;
  }

  /**
   * Deletes whole days (UTC), minute roll-ups first: records are complete from the first remaining minute on
   * (LedgerStore). Keeps minutes until hours and days contain them, and a record that was settled late for as
   * many days after its settlement.
   */
  async prune(): Promise<void> {
    const [minutesUntil, hoursUntil] = [MODEL_MINUTES_MS, MODEL_HOURS_MS].map(
      (ms) => new Date(Date.now() - ms),
    );
    await this.#prisma.$executeRaw`
      DELETE FROM model_usage
      WHERE width = 60 AND bucket < ${minutesUntil} OR width > 60 AND bucket < ${hoursUntil}`;
    const before = new Date((Math.floor(Date.now() / DAY_MS) - this.#days) * DAY_MS);
    await inChunks(
      () => this.#prisma.$executeRaw`
        DELETE FROM usage_rollups WHERE ctid = ANY(ARRAY(
          SELECT ctid FROM usage_rollups
          WHERE width = 60 AND bucket < least(${before}, (SELECT until FROM rollup_watermark))
          LIMIT ${CHUNK_ROWS} FOR UPDATE SKIP LOCKED
        ))`,
    );
    // Rows may be left, or another control plane is deleting them and may fail.
    const left = await this.#prisma.usageRollup.findFirst({ where: { width: 60, bucket: { lt: before } } });
    if (left !== null) return;
    await this.#prisma.$executeRaw`SELECT drop_usage_partitions(${before})`;
    for (const partition of NOT_OF_A_DAY) {
      await inChunks(
        () => this.#prisma.$executeRaw`
          DELETE FROM ${partition} WHERE ctid = ANY(ARRAY(
            SELECT ctid FROM ${partition} WHERE ended_at < ${before} AND settled_at < ${before}
            LIMIT ${CHUNK_ROWS} FOR UPDATE SKIP LOCKED
          ))`,
      );
    }
  }
}

async function inChunks(deleteSome: () => Promise<number>): Promise<void> {
  for (let chunk = 0; chunk < MAX_CHUNKS; chunk++) {
    if ((await deleteSome()) < CHUNK_ROWS) return;
  }
}
