import { Prisma, type PrismaClient } from '@model-gateway/database';
import { z } from 'zod';

/** The database, or a transaction in it. */
export type Database = PrismaClient | Prisma.TransactionClient;

/** A condition on api_keys. The many keys that expired long ago need no event. */
export const UNEXPIRED = Prisma.sql`(expires_at IS NULL OR expires_at > now())`;

const lastRevisionRows = z.array(z.object({ revision: z.bigint() }));

/**
 * Revokes the active keys among those that `which` describes and records an event for each under the next
 * revisions; all in one statement. The row lock on the counter makes revisions commit in their order.
 * @param which a condition on api_keys
 * @returns the last of the revisions; undefined when no key was active
 */
export async function revokeKeys(database: Database, which: Prisma.Sql): Promise<bigint | undefined> {
  const target = Prisma.sql`
    UPDATE api_keys SET revoked_at = now() WHERE ${which} AND revoked_at IS NULL RETURNING id, lookup_hash, previous_lookup_hash`;
  return await recordEvents(database, target, true);
}

/**
 * Tells data planes to forget what they know of the active keys that `which` describes: their limits are
 * others now. Belongs into the transaction that changes the limits, after the change, so that no key is left
 * out.
 * @param which a condition on api_keys
 * @returns the last of the revisions; undefined when no key is active
 */
export async function announceKeyChanges(
  transaction: Prisma.TransactionClient,
  which: Prisma.Sql,
): Promise<bigint | undefined> {
  const target = Prisma.sql`
    SELECT id, lookup_hash, previous_lookup_hash FROM api_keys WHERE ${which} AND revoked_at IS NULL AND ${UNEXPIRED}`;
  return await recordEvents(transaction, target, false);
}

/** @param target a statement that gives id, lookup_hash and previous_lookup_hash of the keys */
async function recordEvents(
  database: Database,
  target: Prisma.Sql,
  revoked: boolean,
): Promise<bigint | undefined> {
  const rows = await database.$queryRaw`
    WITH target AS (${target}), bumped AS (
      UPDATE revisions SET value = value + (SELECT count(*) FROM target)
      WHERE name = 'keys' AND EXISTS (SELECT FROM target) RETURNING value
    ), event AS (
      INSERT INTO key_events (revision, key_id, lookup_hash, previous_lookup_hash, revoked)
      SELECT bumped.value - row_number() OVER (ORDER BY target.id DESC) + 1, target.id, target.lookup_hash,
        target.previous_lookup_hash, ${revoked}
      FROM bumped, target
      RETURNING revision
    )
    SELECT max(revision) AS revision, pg_notify('gateway_keys', '')::text FROM event HAVING count(*) > 0`;
  return lastRevisionRows.parse(rows)[0]?.revision;
}
