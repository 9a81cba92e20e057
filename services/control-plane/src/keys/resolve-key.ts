import { pepperFingerprint as fingerprintOf } from '@model-gateway/shared';
import { effectiveLimits, type Limits } from '../accounts/effective-limits.ts';
import type { KeyStore, ResolvedKey } from './key-store.ts';

export interface ResolveKeyContext {
  keyStore: KeyStore;
  /** Streams a key may have open, where its account says nothing else. */
  concurrentStreams: number;
  pepper: string;
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

/** What a key is looked for by. */
export interface KeyQuestion {
  lookupHash: string;
  previousLookupHash?: string | undefined;
  /** Of the pepper of `lookupHash`. */
  pepperFingerprint?: string | undefined;
}

/**
 * The context of an active key, with the limits that apply to it. While the pepper is replaced, a key that is
 * found by its hash under the one before moves to the new one here: the raw key, which only the data plane
 * has seen, is not needed.
 */
export async function resolveKey(context: ResolveKeyContext, question: KeyQuestion): Promise<KeyAnswer> {
  const { revision, key } = await findKey(context, question);
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

async function findKey(
  { keyStore, pepper }: ResolveKeyContext,
  { lookupHash, previousLookupHash, pepperFingerprint }: KeyQuestion,
): Promise<ResolvedKey> {
  const found = await keyStore.resolve(lookupHash);
  if (found.key !== undefined || previousLookupHash === undefined) return found;
  if (pepperFingerprint === undefined || pepperFingerprint !== fingerprintOf(pepper)) return found;
  await keyStore.moveHash(previousLookupHash, { lookupHash, pepperFingerprint });
  return await keyStore.resolve(lookupHash);
}
