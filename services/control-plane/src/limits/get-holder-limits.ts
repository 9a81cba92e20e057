import {
  namedPolicies,
  type RedisConnection,
  type RedisLimiter,
  streamsOf,
  tokenPolicyOf,
} from '@model-gateway/limits';
import { LIMIT_WINDOW_SECONDS } from '@model-gateway/shared';
import type { Visibility } from '../access/visibility.ts';
import type { LimitQuestions, LimitUses } from './limit-questions.ts';
import type { LimitedHolderKey, LimitedKeyStore } from './limited-key-store.ts';
import { readRedisUses } from './read-redis-uses.ts';

export interface GetHolderLimitsContext {
  limitedKeyStore: Pick<LimitedKeyStore, 'list'>;
  limitQuestions: Pick<LimitQuestions, 'ask'>;
  /** Undefined when every data plane counts for itself. */
  redis: RedisConnection | undefined;
  redisLimiter: RedisLimiter | undefined;
}

/** Every data plane has to answer for each of these keys. */
const MAX_KEYS_ASKED = 100;

/**
 * Returns the limits of visible active keys. `used` is known for the newest keys only, and left out when
 * unavailable.
 */
export async function getHolderLimits(
  context: GetHolderLimitsContext,
  visible: Visibility,
  signal: AbortSignal,
) {
  const keys = await context.limitedKeyStore.list(visible, signal);
  const uses = keys.length === 0 ? new Map() : await usesOf(context, keys.slice(0, MAX_KEYS_ASKED));
  return {
    keys: keys.map((key) => ({ keyId: key.keyId, keyName: key.name, limits: limitsOf(key, uses) })),
  };
}

function usesOf(
  { limitQuestions, redis, redisLimiter }: GetHolderLimitsContext,
  keys: readonly LimitedHolderKey[],
): Promise<LimitUses> {
  if (redis === undefined || redisLimiter === undefined) return limitQuestions.ask(keys);
  return readRedisUses({ redis, limiter: redisLimiter }, keys);
}

function limitsOf(key: LimitedHolderKey, uses: LimitUses) {
  const tokens = tokenPolicyOf(key);
  const named = [...namedPolicies(key), ...(tokens === undefined ? [] : [[tokens.name, tokens] as const])];
  const perWindow = named.map(([name, { limit }]) => ({ name, limit, windowSeconds: LIMIT_WINDOW_SECONDS }));
  const streams = { name: 'key.streams', limit: streamsOf(key).limit };
  return [...perWindow, streams].map((limit) => {
    const used = uses.get(key.keyId)?.get(limit.name);
    return used === undefined ? limit : { ...limit, used };
  });
}
