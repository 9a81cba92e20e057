import { z } from 'zod';
import { queryRows, type Transaction } from '../database/prisma-store.ts';
import { LISTED_KEY } from './key-list-store.ts';
import { type StoredKey, storedKey } from './stored-key.ts';

/** Finds a key and keeps others from changing it until the commit. @returns null: there is none */
export async function lockKey(transaction: Transaction, id: string): Promise<StoredKey | null> {
  const [key] = await queryRows(transaction, z.array(storedKey))`
    SELECT ${LISTED_KEY} FROM api_keys k WHERE k.id = ${id} FOR UPDATE`;
  return key ?? null;
}
