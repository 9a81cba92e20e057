import { Prisma } from '@model-gateway/database';
import { z } from 'zod';
import { queryRows, type Transaction } from '../database/prisma-store.ts';
import { LISTED_KEY } from './key-list-store.ts';
import { type StoredKey, storedKey } from './stored-key.ts';

type Database = Pick<Transaction, '$queryRaw'>;

/** Reads keys `k`, oldest first. */
export async function readKeys(database: Database, where: Prisma.Sql): Promise<StoredKey[]> {
  return await queryRows(database, z.array(storedKey))`
    SELECT ${LISTED_KEY} FROM api_keys k WHERE ${where} ORDER BY k.created_at, k.id`;
}

/** @returns null: there is none */
export async function findKey(database: Database, id: string): Promise<StoredKey | null> {
  const [key] = await readKeys(database, Prisma.sql`k.id = ${id}`);
  return key ?? null;
}

/** Reads a key that exists, such as after a change. */
export async function readKey(database: Database, id: string): Promise<StoredKey> {
  const key = await findKey(database, id);
  if (key === null) throw new Error(`the key ${id} is gone`);
  return key;
}
