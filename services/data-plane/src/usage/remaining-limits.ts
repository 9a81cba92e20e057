import type { Limiter, PolicyRequest } from '@model-gateway/limits';
import { LIMIT_WINDOW_SECONDS, type UsageSummary } from '@model-gateway/shared';
import type { KeyContext } from '../keys/key-context.ts';
import { hashTagOf, policiesOf } from '../steps/admit-request.ts';

/** The limits of a key and its team, and what is left of them right now. */
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

function namedPolicies(key: KeyContext): Map<string, PolicyRequest> {
  const named = new Map<string, PolicyRequest>();
  for (const limitClass of ['free', 'paid', 'reads'] as const) {
    for (const policy of policiesOf(key, limitClass)) {
      const name = policy.name === 'key' ? `key.${limitClass}` : policy.name;
      // What several classes count against comes after the last of them.
      named.delete(name);
      named.set(name, policy);
    }
  }
  return named;
}
