import { Prisma } from '@model-gateway/database';
import { z } from 'zod';
import type { Change } from '../actors/change-guard.ts';
import type { Transaction } from '../database/prisma-store.ts';
import { keyResource } from '../keys/key-resource.ts';
import { readKeys } from '../keys/read-key-store.ts';
import type { NewEvent } from './emit-event-store.ts';

const ended = z.object({ revoked_key_ids: z.array(z.string()) });

/** Returns the events of keys that were revoked with something else, such as a seat; none if nobody gets them. */
export async function eventsOfRevokedKeys(
  transaction: Transaction,
  changes: readonly Pick<Change, 'after'>[],
): Promise<NewEvent[]> {
  const ids = changes.flatMap(({ after }) => ended.safeParse(after).data?.revoked_key_ids ?? []);
  if (ids.length === 0) return [];
  const keys = await readKeys(
    transaction,
    Prisma.sql`k.id = ANY(${[...new Set(ids)]}::text[])
      AND EXISTS (SELECT FROM webhook_endpoints WHERE 'key.revoked' = ANY(events))`,
  );
  return keys.map((key) => ({ type: 'key.revoked', accountId: key.accountId, data: keyResource(key) }));
}
