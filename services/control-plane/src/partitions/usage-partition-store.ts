import { PrismaStore } from '../database/prisma-store.ts';

/** What arrived earlier is stored without its arrival (settle_records). */
const BACK_DAYS = 2;
/** When a partition cannot be made for so long, records of its day are stored together with others. */
const AHEAD_DAYS = 3;

/** Makes the partitions of usage records, one for each day (UTC). */
export class UsagePartitionStore extends PrismaStore {
  /**
   * Makes those that are missing, the next days' too; one control plane at a time does so.
   * @throws when a statement that runs for long is in the way: then the next call makes them
   */
  async makeMissing(): Promise<void> {
    await this.prisma.$executeRaw`SELECT make_usage_partitions(${BACK_DAYS}::int, ${AHEAD_DAYS}::int)`;
  }
}
