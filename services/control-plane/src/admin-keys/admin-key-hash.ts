import { labelledHash } from '@model-gateway/shared';
import type { Peppers } from '../keys/stored-hashes.ts';

const LABEL = 'admin key';

export interface AdminKeyHashes {
  lookupHash: string;
  /** Used by control planes that have only the previous pepper. */
  previousLookupHash?: string;
}

export function adminKeyHashes({ oldPepper, pepper }: Peppers, rawKey: string): AdminKeyHashes {
  return {
    lookupHash: labelledHash(pepper, LABEL, rawKey),
    ...(oldPepper === undefined ? {} : { previousLookupHash: labelledHash(oldPepper, LABEL, rawKey) }),
  };
}
