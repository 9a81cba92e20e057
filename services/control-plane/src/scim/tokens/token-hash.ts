import { checkedToken, labelledHash } from '@model-gateway/shared';
import type { Peppers } from '../../keys/stored-hashes.ts';

/** Tokens of identity providers, which can do nothing but SCIM. */
export const scimToken = checkedToken('gw_scim_');

const LABEL = 'scim token';

export interface ScimTokenHashes {
  lookupHash: string;
  /** Used by control planes that have only the previous pepper. */
  previousLookupHash?: string;
}

export function scimTokenHashes({ oldPepper, pepper }: Peppers, raw: string): ScimTokenHashes {
  return {
    lookupHash: labelledHash(pepper, LABEL, raw),
    ...(oldPepper === undefined ? {} : { previousLookupHash: labelledHash(oldPepper, LABEL, raw) }),
  };
}
