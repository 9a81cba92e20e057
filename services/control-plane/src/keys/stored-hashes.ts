import { lookupHash, pepperFingerprint } from '@model-gateway/shared';

export interface Peppers {
  pepper: string;
  /** The previous pepper, while it is being replaced. */
  oldPepper: string | undefined;
}

export interface StoredHashes {
  lookupHash: string;
  /** Used by data planes that still have the previous pepper. */
  previousLookupHash?: string;
  pepperFingerprint: string;
}

export const HASHES = { lookupHash: true, previousLookupHash: true, pepperFingerprint: true } as const;

export function storedHashes({ pepper, oldPepper }: Peppers, rawKey: string): StoredHashes {
  return {
    lookupHash: lookupHash(pepper, rawKey),
    ...(oldPepper === undefined ? {} : { previousLookupHash: lookupHash(oldPepper, rawKey) }),
    pepperFingerprint: pepperFingerprint(pepper),
  };
}
