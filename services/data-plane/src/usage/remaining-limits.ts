import { hashTagOf, type Limiter, namedPolicies } from '@model-gateway/limits';
import { LIMIT_WINDOW_SECONDS, type UsageSummary } from '@model-gateway/shared';
import type { KeyContext } from '../keys/key-context.ts';

/** Returns the limits of a key and its team, and what is left of them now. */
export async function remainingLimits(
  limiter: Pick<Limiter, 'peek'>,
  key: KeyContext,
): Promise<UsageSummary['limits']> {
  const named = namedPolicies(key);
  const { policies } = await limiter.peek({ hashTag: hashTagOf(key), policies: [...named.values()] });
  return [...named.keys()].flatMap((name, index) => {
    const state = policies[index];
    if (state === undefined) return [];
    return { name, limit: state.limit, window_seconds: LIMIT_WINDOW_SECONDS, remaining: state.remaining };
  });
}
