import { effectiveLimits, type Limits } from '../accounts/effective-limits.ts';
import type { KeyStore } from './key-store.ts';

export interface ResolveKeyContext {
  keyStore: KeyStore;
  /** Streams a key may have open, where its account says nothing else. */
  concurrentStreams: number;
}

export interface KeyAnswer {
  revision: bigint;
  /** Absent: no active key has this hash. */
  key?: {
    keyId: string;
    accountId: string;
    seatId?: string;
    teamId?: string;
    limits: Limits & { teamPerMinute?: number };
    /** Unix milliseconds. Absent: never. */
    expiresAtMs?: number;
  };
}

/** The context of an active key, with the limits that apply to it. */
export async function resolveKey(context: ResolveKeyContext, lookupHash: string): Promise<KeyAnswer> {
  const { revision, key } = await context.keyStore.resolve(lookupHash);
  if (key === undefined) return { revision };
  return {
    revision,
    key: {
      keyId: key.id,
      accountId: key.accountId,
      ...(key.seatId === null ? {} : { seatId: key.seatId }),
      ...(key.teamId === null ? {} : { teamId: key.teamId }),
      limits: {
        ...effectiveLimits(key, context.concurrentStreams),
        ...(key.teamPerMinute === null ? {} : { teamPerMinute: key.teamPerMinute }),
      },
      ...(key.expiresAt === null ? {} : { expiresAtMs: key.expiresAt.getTime() }),
    },
  };
}
