import { type LookupHashes, labelledHashes, type Peppers } from '../keys/stored-hashes.ts';

export function adminKeyHashes(peppers: Peppers, rawKey: string): LookupHashes {
  return labelledHashes(peppers, 'admin key', rawKey);
}
