import {
  hashTagOf,
  type KeyLimitName,
  type LimitedKey,
  namedPolicies,
  streamsOf,
  tokenPolicyOf,
} from './key-limits.ts';
import type { Limiter, Store } from './limiter.ts';

export interface LimitUse {
  /** Requests and tokens in the last 60 s, and streams that are running. */
  used: Map<KeyLimitName, number>;
  countedBy: Store;
}

/** Returns how much of its limits a key uses now. @throws errors of the limiter's `peek` */
export async function limitUse(limiter: Pick<Limiter, 'peek'>, key: LimitedKey): Promise<LimitUse> {
  const named = namedPolicies(key);
  const tokenPolicy = tokenPolicyOf(key);
  const { policies, stream, tokenPolicies, decidedBy } = await limiter.peek({
    hashTag: hashTagOf(key),
    policies: [...named.values()],
    tokenPolicies: tokenPolicy && [tokenPolicy],
    stream: streamsOf(key),
  });
  const used = new Map<KeyLimitName, number>();
  for (const [index, name] of [...named.keys()].entries()) {
    const state = policies[index];
    if (state !== undefined) used.set(name, state.limit - state.remaining);
  }
  const [tokens] = tokenPolicies;
  if (tokens !== undefined) used.set('key-tokens', tokens.limit - tokens.remaining);
  if (stream !== undefined) used.set('key.streams', stream.limit - stream.remaining);
  return { used, countedBy: decidedBy };
}
