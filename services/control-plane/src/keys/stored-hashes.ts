import { lookupHash, pepperFingerprint } from '@model-gateway/shared';

export interface Peppers {
  pepper: string;
  /** The previous pepper, while it is being replaced. */
  oldPepper: string | undefined;
}

/** The hashes by which a key is found. */
export interface StoredHashes {
  lookupHash: string;
  /** Data planes that still have the previous pepper ask with this hash. */
  previousLookupHash?: string;
  pepperFingerprint: string;
}

/** Columns that lists of keys leave out. */
export const HASHES = { lookupHash: true, previousLookupHash: true, pepperFingerprint: true } as const;

export function storedHashes({ pepper, oldPepper }: Peppers, rawKey: string): StoredHashes {
  return {
    lookupHash: lookupHash(pepper, rawKey),
    ...(oldPepper === undefined ? {} : { previousLookupHash: lookupHash(oldPepper, rawKey) }),
    pepperFingerprint: pepperFingerprint(pepper),
  };
}
