import type { DatabaseEpoch } from '../database/database-epoch.ts';
import type { TombstoneFeed } from './tombstone-feed.ts';
import type { WatcherWait } from './watcher-wait.ts';

export interface RevocationReachedContext {
  databaseEpoch: Pick<DatabaseEpoch, 'verify'>;
  watcherWait: WatcherWait;
  /** Undefined when there is no Redis. */
  tombstoneFeed: Pick<TombstoneFeed, 'flush'> | undefined;
}

/**
 * Waits until a revocation has reached all that decide about requests: the data planes and Redis.
 * @returns the instances of data planes that have not confirmed it after 4 s or by the end of their lease,
 *   and `redis`
 */
export async function revocationReached(
  { databaseEpoch, tombstoneFeed, watcherWait }: RevocationReachedContext,
  revision: bigint,
): Promise<string[]> {
  // In a restored database, this revision may be one that data planes acknowledged before the restore, for
  // another event.
  await databaseEpoch.verify().catch(() => undefined);
  const [unconfirmed, isInRedis] = await Promise.all([
    watcherWait.until(revision),
    tombstoneFeed?.flush() ?? true,
  ]);
  return isInRedis ? unconfirmed : [...unconfirmed, 'redis'];
}
