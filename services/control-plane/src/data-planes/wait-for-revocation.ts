import type { DatabaseEpoch } from '../database/database-epoch.ts';
import type { TombstoneFeed } from './tombstone-feed.ts';
import type { WatcherWait } from './watcher-wait.ts';

export interface RevocationContext {
  databaseEpoch: Pick<DatabaseEpoch, 'verify'>;
  watcherWait: WatcherWait;
  tombstoneFeed: Pick<TombstoneFeed, 'flush'> | undefined;
}

/**
 * Waits until a revocation has reached the data planes and Redis.
 * @param revision undefined: nothing to wait for
 * @returns data planes that have not confirmed within 4 s or by the end of their lease, and `redis`
 */
export async function waitForRevocation(
  { databaseEpoch, tombstoneFeed, watcherWait }: RevocationContext,
  revision: bigint | undefined,
): Promise<string[]> {
  if (revision === undefined) return [];
  // In a restored database, data planes may have acknowledged this revision for another event.
  await databaseEpoch.verify().catch(() => undefined);
  const [unconfirmed, isInRedis] = await Promise.all([
    watcherWait.until(revision),
    tombstoneFeed?.flush() ?? true,
  ]);
  return isInRedis ? unconfirmed : [...unconfirmed, 'redis'];
}
