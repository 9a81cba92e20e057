import type { TombstoneFeed } from './tombstone-feed.ts';
import type { WatcherWait } from './watcher-wait.ts';

export interface RevocationReachedContext {
  watcherWait: WatcherWait;
  /** Undefined: there is no Redis. */
  tombstoneFeed: Pick<TombstoneFeed, 'flush'> | undefined;
}

/**
 * Waits until a revocation has reached everything that decides about requests: the data planes and Redis.
 * @returns the instances of data planes that have not confirmed it after 4 s or by the end of their lease, and `redis`
 */
export async function revocationReached(
  { tombstoneFeed, watcherWait }: RevocationReachedContext,
  revision: bigint,
): Promise<string[]> {
  const [unconfirmed, isInRedis] = await Promise.all([
    watcherWait.until(revision),
    tombstoneFeed?.flush() ?? true,
  ]);
  return isInRedis ? unconfirmed : [...unconfirmed, 'redis'];
}
