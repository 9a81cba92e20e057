import { type Limiter, limitUse, type RedisConnection } from '@model-gateway/limits';
import type { LimitUses } from './limit-uses.ts';
import type { LimitedHolderKey } from './limited-key-store.ts';

/** With the deadline of its commands this stays below half a second. */
const CONNECT_PATIENCE_MS = 300;

/** Where all data planes count in one Redis. @returns nothing of a key that it does not answer for */
export async function readRedisUses(
  { redis, limiter }: { redis: Pick<RedisConnection, 'whenReady'>; limiter: Pick<Limiter, 'peek'> },
  keys: readonly LimitedHolderKey[],
): Promise<LimitUses> {
  const uses: LimitUses = new Map();
  if (!(await redis.whenReady(CONNECT_PATIENCE_MS))) return uses;
  const answers = await Promise.allSettled(keys.map((key) => limitUse(limiter, key)));
  for (const [index, { keyId }] of keys.entries()) {
    const answer = answers[index];
    if (answer?.status === 'fulfilled') uses.set(keyId, answer.value.used);
  }
  return uses;
}
