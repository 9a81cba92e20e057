import { lookupHash, pepperFingerprint } from '@model-gateway/shared';

export interface Peppers {
  pepper: string;
  /** The one before, while it is being replaced. */
  oldPepper: string | undefined;
}

/** What a key is found by. */
export interface StoredHashes {
  lookupHash: string;
  /** Data planes that still have the old pepper look for this one. */
  previousLookupHash?: string;
  pepperFingerprint: string;
}

/** What no list of keys is read with. */
export const HASHES = { lookupHash: true, previousLookupHash: true, pepperFingerprint: true } as const;

export function storedHashes({ pepper, oldPepper }: Peppers, rawKey: string): StoredHashes {
  return {
    lookupHash: lookupHash(pepper, rawKey),
    ...(oldPepper === undefined ? {} : { previousLookupHash: lookupHash(oldPepper, rawKey) }),
    pepperFingerprint: pepperFingerprint(pepper),
  };
}
