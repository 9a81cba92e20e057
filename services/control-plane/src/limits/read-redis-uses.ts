import { type Limiter, limitUse, type RedisConnection } from '@model-gateway/limits';
import type { LimitUses } from './limit-questions.ts';
import type { LimitedHolderKey } from './limited-key-store.ts';

/** Together with the deadline of the commands, the whole read takes less than half a second. */
const CONNECT_TIMEOUT_MS = 300;

/** Reads uses from Redis, shared by all data planes. @returns without keys that Redis does not answer for */
export async function readRedisUses(
  { redis, limiter }: { redis: Pick<RedisConnection, 'whenReady'>; limiter: Pick<Limiter, 'peek'> },
  keys: readonly LimitedHolderKey[],
): Promise<LimitUses> {
  const uses: LimitUses = new Map();
  if (!(await redis.whenReady(CONNECT_TIMEOUT_MS))) return uses;
  const answers = await Promise.allSettled(keys.map((key) => limitUse(limiter, key)));
  for (const [index, { keyId }] of keys.entries()) {
    const answer = answers[index];
    if (answer?.status === 'fulfilled') uses.set(keyId, answer.value.used);
  }
  return uses;
}
