import { pepperFingerprint as fingerprintOf, resolvePayer } from '@model-gateway/shared';
import { effectiveLimits } from '../accounts/effective-limits.ts';
import { omitAbsent } from '../omit-absent.ts';
import type { KeyLookup, KeyStore } from './key-store.ts';

export interface ResolveKeyContext {
  keyStore: KeyStore;
  /** The streams that a key may have open when its account has no own limit. */
  concurrentStreams: number;
  pepper: string;
}

interface KeyHashes {
  lookupHash: string;
  previousLookupHash?: string | undefined;
  pepperFingerprint?: string | undefined;
}

/**
 * Returns an active key's context and limits; without `key` when no active key has the hash. During a pepper
 * change, moves a key found by its previous hash to the new one; that needs no raw key.
 */
export async function resolveKey(context: ResolveKeyContext, hashes: KeyHashes) {
  const { revision, key } = await findKey(context, hashes);
  if (key === undefined) return { revision: String(revision) };
  return {
    revision: String(revision),
    key: {
      keyId: key.id,
      accountId: key.accountId,
      ...omitAbsent({ seatId: key.seatId, teamId: key.teamId, expiresAtMs: key.expiresAt?.getTime() }),
      payer: resolvePayer(key),
      limits: {
        ...effectiveLimits(key, context.concurrentStreams),
        ...omitAbsent({ teamPerMinute: key.teamPerMinute }),
      },
    },
  };
}

async function findKey(
  { keyStore, pepper }: ResolveKeyContext,
  { lookupHash, previousLookupHash, pepperFingerprint }: KeyHashes,
): Promise<KeyLookup> {
  const found = await keyStore.resolve(lookupHash);
  if (found.key !== undefined || previousLookupHash === undefined) return found;
  if (pepperFingerprint === undefined || pepperFingerprint !== fingerprintOf(pepper)) return found;
  await keyStore.moveHash(previousLookupHash, { lookupHash, pepperFingerprint });
  return await keyStore.resolve(lookupHash);
}
