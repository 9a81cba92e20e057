import type { Tier } from '@model-gateway/shared';
import type { PolicyRequest, TokenPolicyRequest } from './limiter.ts';

/** The limits of a key, and the team whose other keys count with it. */
export interface LimitedKey {
  keyId: string;
  /** The team of the key's seat; undefined for a key that is on no seat. */
  teamId: string | undefined;
  limits: {
    freePerMinute: number;
    paidPerMinute: number;
    readsPerMinute: number;
    concurrentStreams: number;
    /** The limit of all keys of the team together; undefined for a key that is on no seat. */
    teamPerMinute: number | undefined;
  };
  /** Undefined: no level of the key has rules. */
  rules: RateRules | undefined;
}

/** Rate limits of rules. */
export interface RateRules {
  requestsPerMinute?: number | undefined;
  tokensPerMinute?: number | undefined;
}

/** An end user, and the rules that apply to it. */
export interface LimitedEndUser {
  accountId: string;
  endUser: string;
  rules: RateRules;
}

/** The kinds of request limits of a key: per tier of models, and for reads. */
export type LimitClass = Tier | 'reads';

/** Names of the limits in GET /v1/usage. */
export type KeyLimitName = `key.${LimitClass | 'streams'}` | 'team' | 'key-requests' | 'key-tokens';

/** The limits a request counts against. A request that names models of both tiers counts against both. */
export type CountedAs = LimitClass | 'free_and_paid';

export function policiesOf(
  { keyId, teamId, limits, rules }: LimitedKey,
  limitClass: CountedAs,
): PolicyRequest[] {
  const perMinute = { free: limits.freePerMinute, paid: limits.paidPerMinute, reads: limits.readsPerMinute };
  const policies: PolicyRequest[] =
    limitClass === 'free_and_paid'
      ? (['free', 'paid'] as const).map((tier) => ({
          name: `key.${tier}`,
          bucket: `${tier}:${keyId}`,
          limit: perMinute[tier],
        }))
      : [{ name: 'key', bucket: `${limitClass}:${keyId}`, limit: perMinute[limitClass] }];
  if (limitClass !== 'reads' && teamId !== undefined && limits.teamPerMinute !== undefined) {
    policies.push({ name: 'team', bucket: `team:${teamId}`, limit: limits.teamPerMinute });
  }
  if (limitClass !== 'reads' && rules?.requestsPerMinute !== undefined) {
    policies.push({ name: 'key-requests', bucket: `requests:${keyId}`, limit: rules.requestsPerMinute });
  }
  return policies;
}

/** Returns undefined for a key without a limit of tokens. */
export function tokenPolicyOf({ keyId, rules }: LimitedKey): TokenPolicyRequest | undefined {
  if (rules?.tokensPerMinute === undefined) return undefined;
  return { name: 'key-tokens', bucket: `tokens:${keyId}`, limit: rules.tokensPerMinute };
}

/** Returns the limits of an end user, who is counted with all keys of the account. */
export function endUserPolicies({ accountId, endUser, rules }: LimitedEndUser): {
  requests: PolicyRequest | undefined;
  tokens: TokenPolicyRequest | undefined;
} {
  const bucket = `end-user:${accountId}/${endUser}`;
  const { requestsPerMinute, tokensPerMinute } = rules;
  return {
    requests:
      requestsPerMinute === undefined
        ? undefined
        : { name: 'end-user-requests', bucket, limit: requestsPerMinute, ownTag: accountId },
    tokens:
      tokensPerMinute === undefined
        ? undefined
        : { name: 'end-user-tokens', bucket, limit: tokensPerMinute, ownTag: accountId },
  };
}

export function streamsOf({ keyId, limits }: LimitedKey): { bucket: string; limit: number } {
  return { bucket: `streams:${keyId}`, limit: limits.concurrentStreams };
}

/** Keys of a team share a hash tag, because a decision counts against limits of the key and of the team. */
export function hashTagOf({ teamId, keyId }: LimitedKey): string {
  return teamId ?? keyId;
}

/** Returns every request limit of a key once. The limit of its streams is not among them. */
export function namedPolicies(key: LimitedKey): Map<KeyLimitName, PolicyRequest> {
  const named = new Map<KeyLimitName, PolicyRequest>();
  for (const limitClass of ['free', 'paid', 'reads'] as const) {
    for (const policy of policiesOf(key, limitClass)) {
      const { name: own } = policy;
      const name = own === 'team' || own === 'key-requests' ? own : (`key.${limitClass}` as const);
      // A policy that several classes share is listed after the last of them.
      named.delete(name);
      named.set(name, policy);
    }
  }
  return named;
}
