import { z } from 'zod';
import { PrismaStore } from '../database/prisma-store.ts';
import { readCatalog, type StoredCatalog } from './read-catalog-store.ts';
import { type CatalogWrites, writeCatalog } from './write-catalog-store.ts';

/** Writing the largest catalog takes seconds, and another change may have to wait for it. */
const CHANGE_LIMITS = { timeout: 60_000, maxWait: 10_000 };

export class CatalogStore extends PrismaStore {
  async read(): Promise<StoredCatalog> {
    return await this.prisma.$transaction((transaction) => readCatalog(transaction), {
      isolationLevel: 'RepeatableRead',
    });
  }

  /**
   * Changes the catalog under a lock.
   * @param decide undefined: write nothing
   * @returns the revision afterwards
   */
  async change(decide: (current: StoredCatalog) => CatalogWrites | undefined): Promise<bigint> {
    return await this.prisma.$transaction(async (transaction) => {
      await transaction.$queryRaw`SELECT value FROM revisions WHERE name = 'catalog' FOR UPDATE`;
      const current = await readCatalog(transaction);
      const writes = decide(current);
      if (writes === undefined) return current.revision;
      await writeCatalog(transaction, writes);
      const { value } = await transaction.revision.update({
        where: { name: 'catalog' },
        data: { value: { increment: 1 } },
      });
      await transaction.$queryRaw`SELECT pg_notify('gateway_catalog', '')::text`;
      return value;
    }, CHANGE_LIMITS);
  }

  /** Cheap enough to call every second. */
  async readHeartbeat(): Promise<{ revision: bigint; liveDataPlanes: number }> {
    const rows = await this.query(z.array(z.object({ revision: z.bigint(), live: z.bigint() })))`
      SELECT value AS revision, (SELECT count(*) FROM key_watchers WHERE lease_until > now()) AS live
      FROM revisions WHERE name = 'catalog'`;
    const [row] = rows;
    if (row === undefined) throw new Error('the row of the catalog revision is missing');
    return { revision: row.revision, liveDataPlanes: Number(row.live) };
  }
}
