import { checkedToken } from '@model-gateway/shared';
import { type LookupHashes, labelledHashes, type Peppers } from '../../keys/stored-hashes.ts';

/** Tokens of identity providers, which can do nothing but SCIM. */
export const scimToken = checkedToken('gw_scim_');

export function scimTokenHashes(peppers: Peppers, raw: string): LookupHashes {
  return labelledHashes(peppers, 'scim token', raw);
}
