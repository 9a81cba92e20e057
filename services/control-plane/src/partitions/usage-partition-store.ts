import { PrismaStore } from '../database/prisma-store.ts';

/** Earlier arrivals are stored without arrival (settle_usage). */
const BACK_DAYS = 2;
/** If creating a partition fails for so long, its records go to the rest partition. */
const AHEAD_DAYS = 3;

/** Creates the partitions of usage records, one per day (UTC). */
export class UsagePartitionStore extends PrismaStore {
  /**
   * Creates missing partitions, upcoming days included; one control plane at a time.
   * @throws when a long statement blocks it; the next call retries
   */
  async makeMissing(): Promise<void> {
    await this.prisma.$executeRaw`SELECT make_usage_partitions(${BACK_DAYS}::int, ${AHEAD_DAYS}::int)`;
  }
}
