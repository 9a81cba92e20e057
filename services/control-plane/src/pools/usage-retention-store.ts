import type { PrismaClient } from '@model-gateway/database';

const DAY_MS = 86_400_000;
const CHUNK_ROWS = 10_000;
/** How many one run forgets; the next run goes on. */
const MAX_CHUNKS = 30;

/** Forgets usage records, and their sums by the minute; sums by the hour and the day are kept. */
export class UsageRetentionStore {
  readonly #prisma: PrismaClient;
  readonly #days: number;

  /** @param days at least 2: a request settled late must not be charged again as its record is gone */
  constructor(prisma: PrismaClient, days: number) {
    this.#prisma = prisma;
    this.#days = days;
  }

  /**
   * Whole days (UTC), minutes before records: the first minute that is left says from when on everything is
   * there (LedgerStore). A record that was settled late stays as long after that, so that whatever was
   * charged since then has its record, too.
   */
  async prune(): Promise<void> {
    const before = new Date((Math.floor(Date.now() / DAY_MS) - this.#days) * DAY_MS);
    await inChunks(
      () => this.#prisma.$executeRaw`
        DELETE FROM usage_rollups WHERE ctid = ANY(ARRAY(
          SELECT ctid FROM usage_rollups WHERE width = 60 AND bucket < ${before}
          LIMIT ${CHUNK_ROWS} FOR UPDATE SKIP LOCKED
        ))`,
    );
    // There may be more than one run deletes, or another control plane deletes them now and may yet fail.
    const left = await this.#prisma.usageRollup.findFirst({ where: { width: 60, bucket: { lt: before } } });
    if (left !== null) return;
    await inChunks(
      () => this.#prisma.$executeRaw`
        DELETE FROM usage_records WHERE ctid = ANY(ARRAY(
          SELECT ctid FROM usage_records WHERE ended_at < ${before} AND settled_at < ${before}
          LIMIT ${CHUNK_ROWS} FOR UPDATE SKIP LOCKED
        ))`,
    );
  }
}

async function inChunks(deleteSome: () => Promise<number>): Promise<void> {
  for (let chunk = 0; chunk < MAX_CHUNKS; chunk++) {
    if ((await deleteSome()) < CHUNK_ROWS) return;
  }
}
