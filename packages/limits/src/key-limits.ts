import type { Tier } from '@model-gateway/shared';
import type { PolicyRequest } from './limiter.ts';

/** What a key may do, and whose other keys count with it. */
export interface LimitedKey {
  keyId: string;
  /** Of the seat it is on. */
  teamId: string | undefined;
  limits: {
    freePerMinute: number;
    paidPerMinute: number;
    readsPerMinute: number;
    concurrentStreams: number;
    /** Of all keys of the team together; undefined for a key that is on no seat. */
    teamPerMinute: number | undefined;
  };
}

/** What of a key's limits a request counts against: a tier of models, or reads. */
export type LimitClass = Tier | 'reads';

/** Limits by the names that usage answers give them. */
export type KeyLimitName = `key.${LimitClass | 'streams'}` | 'team';

/** What a request of this class counts against. */
export function policiesOf({ keyId, teamId, limits }: LimitedKey, limitClass: LimitClass): PolicyRequest[] {
  const perMinute = { free: limits.freePerMinute, paid: limits.paidPerMinute, reads: limits.readsPerMinute };
  const policies: PolicyRequest[] = [
    { name: 'key', bucket: `${limitClass}:${keyId}`, limit: perMinute[limitClass] },
  ];
  if (limitClass !== 'reads' && teamId !== undefined && limits.teamPerMinute !== undefined) {
    policies.push({ name: 'team', bucket: `team:${teamId}`, limit: limits.teamPerMinute });
  }
  return policies;
}

/** Where the running streams of a key are counted. */
export function streamsOf({ keyId, limits }: LimitedKey): { bucket: string; limit: number } {
  return { bucket: `streams:${keyId}`, limit: limits.concurrentStreams };
}

/** Limits of one team are decided together. */
export function hashTagOf({ teamId, keyId }: LimitedKey): string {
  return teamId ?? keyId;
}

/** Every request limit that a key has, once; without that of its streams. */
export function namedPolicies(key: LimitedKey): Map<KeyLimitName, PolicyRequest> {
  const named = new Map<KeyLimitName, PolicyRequest>();
  for (const limitClass of ['free', 'paid', 'reads'] as const) {
    for (const policy of policiesOf(key, limitClass)) {
      const name = policy.name === 'team' ? 'team' : (`key.${limitClass}` as const);
      // What several classes count against comes after the last of them.
      named.delete(name);
      named.set(name, policy);
    }
  }
  return named;
}
