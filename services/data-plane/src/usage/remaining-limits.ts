import {
  hashTagOf,
  type KeyLimitName,
  type Limiter,
  namedPolicies,
  tokenPolicyOf,
} from '@model-gateway/limits';
import { LIMIT_WINDOW_SECONDS, type UsageSummary } from '@model-gateway/shared';
import type { KeyContext } from '../keys/key-context.ts';

/** Returns the limits of a key and its team, and what is left of them now. */
export async function remainingLimits(
  limiter: Pick<Limiter, 'peek'>,
  key: KeyContext,
): Promise<UsageSummary['limits']> {
  const named = namedPolicies(key);
  const tokenPolicy = tokenPolicyOf(key);
  const { policies, tokenPolicies } = await limiter.peek({
    hashTag: hashTagOf(key),
    policies: [...named.values()],
    tokenPolicies: tokenPolicy && [tokenPolicy],
  });
  const names: KeyLimitName[] = [...named.keys(), 'key-tokens'];
  return [...policies, ...tokenPolicies].flatMap(({ limit, remaining }, index) => {
    const name = names[index];
    return name === undefined ? [] : { name, limit, window_seconds: LIMIT_WINDOW_SECONDS, remaining };
  });
}
