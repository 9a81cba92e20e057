import { pepperFingerprint as fingerprintOf, type PayerLevel, resolvePayer } from '@model-gateway/shared';
import { effectiveLimits, type Limits } from '../accounts/effective-limits.ts';
import type { KeyLookup, KeyStore } from './key-store.ts';

export interface ResolveKeyContext {
  keyStore: KeyStore;
  /** The streams that a key may have open when its account has no own limit. */
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
    payer: PayerLevel[];
    limits: Limits & { teamPerMinute?: number };
    /** Unix milliseconds. Absent: never. */
    expiresAtMs?: number;
  };
}

export interface KeyQuestion {
  lookupHash: string;
  previousLookupHash?: string | undefined;
  pepperFingerprint?: string | undefined;
}

/**
 * Returns an active key's context and limits. During a pepper change, moves a key found by its previous hash
 * to the new one; that needs no raw key.
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
      payer: resolvePayer(key),
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
): Promise<KeyLookup> {
  const found = await keyStore.resolve(lookupHash);
  if (found.key !== undefined || previousLookupHash === undefined) return found;
  if (pepperFingerprint === undefined || pepperFingerprint !== fingerprintOf(pepper)) return found;
  await keyStore.moveHash(previousLookupHash, { lookupHash, pepperFingerprint });
  return await keyStore.resolve(lookupHash);
}
