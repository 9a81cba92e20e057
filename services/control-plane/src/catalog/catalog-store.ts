import type { CATALOG_ACTIONS } from '@model-gateway/shared/audit-actions';
import { z } from 'zod';
import type { Actor } from '../actors/actor.ts';
import { describeActor } from '../audit/describe-actor.ts';
import { recordChange } from '../audit/record-change.ts';
import { PrismaStore } from '../database/prisma-store.ts';
import { catalogResource, changedCatalogResource } from './catalog-change.ts';
import { catalogFileOf } from './catalog-file-of.ts';
import { type CatalogChanges, isUnchanged } from './compare-catalog.ts';
import { hasNoVersion, keepVersion } from './keep-version-store.ts';
import { readCatalog, type StoredCatalog } from './read-catalog-store.ts';
import { writeCatalog } from './write-catalog-store.ts';

/** Writing the largest catalog takes seconds, and another change may have to wait for it. */
const CHANGE_LIMITS = { timeout: 60_000, maxWait: 10_000 };

const CATALOG = { type: 'catalog', id: 'catalog', name: 'catalog' };

export type CatalogAction = Extract<(typeof CATALOG_ACTIONS)[number], `catalog.${string}`>;

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
  async change(
    actor: Actor,
    action: CatalogAction,
    decide: (current: StoredCatalog) => CatalogChanges | undefined,
  ): Promise<bigint> {
    return await this.prisma.$transaction(async (transaction) => {
      await transaction.$queryRaw`SELECT value FROM revisions WHERE name = 'catalog' FOR UPDATE`;
      const current = await readCatalog(transaction);
      const changes = decide(current);
      if (changes === undefined) return current.revision;
      const event = { action, object: CATALOG, accountId: null, before: catalogResource(current.revision) };
      if (isUnchanged(changes)) {
        await recordChange(transaction, actor, { ...event, after: event.before });
        return current.revision;
      }
      const at = new Date();
      if (current.providers.length > 0 && (await hasNoVersion(transaction)))
        await keepVersion(transaction, { revision: current.revision, document: catalogFileOf(current) });
      await writeCatalog(transaction, changes.writes, at);
      const { value } = await transaction.revision.update({
        where: { name: 'catalog' },
        data: { value: { increment: 1 } },
      });
      await transaction.$queryRaw`SELECT pg_notify('gateway_catalog', '')::text`;
      const after = changedCatalogResource(value, changes);
      const { object: _object, revision: _revision, ...summary } = after;
      await keepVersion(transaction, {
        revision: value,
        document: catalogFileOf(changes.document),
        change: { action, actor: describeActor(actor), changes: summary, at },
      });
      await recordChange(transaction, actor, { ...event, after });
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
