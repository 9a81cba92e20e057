import { displayPrefix, generateApiKey, newId } from '@model-gateway/shared';
import type { NewKey } from './new-key-store.ts';
import { type Peppers, type StoredHashes, storedHashes } from './stored-hashes.ts';

/** Generates a key. Of the raw key, only its hashes and display prefix may be stored. */
export function newKey(
  peppers: Peppers,
  owner: Omit<NewKey, 'id' | 'displayPrefix' | keyof StoredHashes>,
  rawKey = generateApiKey(),
): { key: NewKey; rawKey: string } {
  const hashes = storedHashes(peppers, rawKey);
  return { key: { id: newId('key'), ...owner, ...hashes, displayPrefix: displayPrefix(rawKey) }, rawKey };
}
