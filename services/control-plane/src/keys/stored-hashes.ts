import { labelledHash, lookupHash, pepperFingerprint } from '@model-gateway/shared';

export interface Peppers {
  pepper: string;
  /** The previous pepper, while it is being replaced. */
  oldPepper: string | undefined;
}

/** Hashes of a secret, by which it is found. */
export interface LookupHashes {
  lookupHash: string;
  /** Used by processes that still have only the previous pepper. */
  previousLookupHash?: string;
}

export interface StoredHashes extends LookupHashes {
  pepperFingerprint: string;
}

export function storedHashes(peppers: Peppers, rawKey: string): StoredHashes {
  return {
    ...underBoth(peppers, (pepper) => lookupHash(pepper, rawKey)),
    pepperFingerprint: pepperFingerprint(peppers.pepper),
  };
}

/** @param label kind of secret, so that one is never found as another */
export function labelledHashes(peppers: Peppers, label: string, secret: string): LookupHashes {
  return underBoth(peppers, (pepper) => labelledHash(pepper, label, secret));
}

function underBoth({ oldPepper, pepper }: Peppers, hash: (pepper: string) => string): LookupHashes {
  return {
    lookupHash: hash(pepper),
    ...(oldPepper !== undefined && { previousLookupHash: hash(oldPepper) }),
  };
}
