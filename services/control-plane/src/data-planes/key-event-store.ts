import { Prisma, type PrismaClient } from '@model-gateway/database';
import { z } from 'zod';

/** The database, or a transaction in it. */
export type Database = PrismaClient | Prisma.TransactionClient;

/** A condition on api_keys. The many keys that expired long ago need no event. */
export const UNEXPIRED = Prisma.sql`(expires_at IS NULL OR expires_at > now())`;

const idRows = z.array(z.object({ id: z.string() }));
const changedRows = z.array(z.object({ revision: z.bigint(), id: z.string(), kind: z.string() }));
const lastRevisionRows = z.array(z.object({ revision: z.bigint() }));

/** A condition on api_keys: not revoked for good, so that a revocation changes something. */
export const REVOCABLE = Prisma.sql`(revoked_at IS NULL OR suspended_at IS NOT NULL)`;

/** What an event says about a key. */
type KeyEventKind = 'changed' | 'revoked' | 'restored';

/**
 * Revokes those keys of `which` that are active or suspended, and records an event for each under the next
 * revisions, all in one statement. The row lock on the counter makes revisions commit in their order.
 * @param which a condition on api_keys
 * @returns the last of the revisions; undefined when no key was active
 */
export async function revokeKeys(database: Database, which: Prisma.Sql): Promise<bigint | undefined> {
  const target = Prisma.sql`
    UPDATE api_keys SET revoked_at = now(), suspended_at = NULL WHERE ${which} AND ${REVOCABLE}
    RETURNING id, lookup_hash, previous_lookup_hash`;
  return await recordEvents(database, target, 'revoked');
}

/**
 * Suspends keys: it revokes them as revokeKeys does, but restoreKeys can bring back those that account
 * holders know. Keys of the playground do not come back, because their sessions are over.
 * @param which a condition on api_keys
 */
export async function suspendKeys(database: Database, which: Prisma.Sql): Promise<bigint | undefined> {
  const target = Prisma.sql`
    UPDATE api_keys SET revoked_at = now(), suspended_at = CASE WHEN kind <> 'playground' THEN now() END
    WHERE ${which} AND revoked_at IS NULL AND ${UNEXPIRED} RETURNING id, lookup_hash, previous_lookup_hash`;
  return await recordEvents(database, target, 'revoked');
}

/**
 * Ends the suspension of those keys that `which` describes. The events that suspended them become mere
 * changes, so that nobody who reads them later (for example after a restart) believes that the keys are
 * revoked.
 * @param which a condition on api_keys
 * @returns the last revision of the new events; undefined when there was no such key
 */
export async function restoreKeys(
  transaction: Prisma.TransactionClient,
  which: Prisma.Sql,
): Promise<bigint | undefined> {
  await transaction.$executeRaw`
    UPDATE key_events SET revoked = false WHERE revoked AND key_id IN (
      SELECT id FROM api_keys WHERE ${which} AND suspended_at IS NOT NULL
    )`;
  const target = Prisma.sql`
    UPDATE api_keys SET revoked_at = NULL, suspended_at = NULL WHERE ${which} AND suspended_at IS NOT NULL
    RETURNING id, lookup_hash, previous_lookup_hash`;
  return await recordEvents(transaction, target, 'restored');
}

/**
 * Tells data planes to forget the active keys that `which` describes, because their limits or their expiry
 * have changed. Call it in the transaction that changes them, after the change, so that no key is left out.
 * @param which a condition on api_keys
 * @returns the last of the revisions; undefined when no key is active
 */
export async function announceKeyChanges(
  transaction: Prisma.TransactionClient,
  which: Prisma.Sql,
): Promise<bigint | undefined> {
  const target = Prisma.sql`
    SELECT id, lookup_hash, previous_lookup_hash FROM api_keys
    WHERE ${which} AND revoked_at IS NULL AND ${UNEXPIRED}`;
  return await recordEvents(transaction, target, 'changed');
}

/** Records expired keys like revoked ones: neither comes back. @param which a condition on api_keys */
export async function recordExpiries(database: Database, which: Prisma.Sql): Promise<void> {
  const target = Prisma.sql`SELECT id, lookup_hash, previous_lookup_hash FROM api_keys WHERE ${which}`;
  await recordEvents(database, target, 'revoked');
}

/** Keys that were revoked or restored together, and the last revision of that. */
export interface ChangedKeys {
  /** Ids of the keys that account holders know, oldest first. */
  keyIds: string[];
  /** Undefined when no key was changed, or when that is so long ago that no data plane needs it. */
  revision: bigint | undefined;
}

/**
 * Finds those keys of `which` that were revoked or restored since a moment. Without a moment, finds the keys
 * that were changed last, all in one transaction. So a call that is repeated because its answer was lost or
 * late gives the same answer.
 * @param which a condition on api_keys
 */
export async function lastChanged(
  database: Database,
  kind: 'revoked' | 'restored',
  which: Prisma.Sql,
  since?: Date | null,
): Promise<ChangedKeys> {
  const isMeant = kind === 'revoked' ? Prisma.sql`e.revoked` : Prisma.sql`e.restored`;
  const from = since ? Prisma.sql`${since}::timestamptz` : Prisma.sql`(SELECT max(created_at) FROM event)`;
  const rows = changedRows.parse(
    await database.$queryRaw`
      WITH event AS (
        SELECT e.* FROM key_events e
        WHERE ${isMeant} AND e.key_id IN (SELECT id FROM api_keys WHERE ${which})
      )
      SELECT max(event.revision) AS revision, k.id, k.kind FROM event JOIN api_keys k ON k.id = event.key_id
      WHERE event.created_at >= ${from}
      GROUP BY k.id ORDER BY k.created_at, k.id`,
  );
  let revision: bigint | undefined;
  for (const row of rows) if (revision === undefined || row.revision > revision) revision = row.revision;
  const keyIds = rows.filter((row) => row.kind !== 'playground').map(({ id }) => id);
  return { keyIds, revision };
}

/**
 * Returns the ids of those keys of `which` that account holders know, oldest first, and locks them until the
 * transaction ends.
 * @param which a condition on api_keys
 */
export async function lockListedKeys(
  transaction: Prisma.TransactionClient,
  which: Prisma.Sql,
): Promise<string[]> {
  const rows = await transaction.$queryRaw`
    SELECT id FROM api_keys WHERE ${which} AND kind <> 'playground' ORDER BY created_at, id FOR UPDATE`;
  return idRows.parse(rows).map(({ id }) => id);
}

/** @param target a statement that returns id, lookup_hash and previous_lookup_hash of the keys */
async function recordEvents(
  database: Database,
  target: Prisma.Sql,
  kind: KeyEventKind,
): Promise<bigint | undefined> {
  const rows = await database.$queryRaw`
    WITH target AS (${target}), bumped AS (
      UPDATE revisions SET value = value + (SELECT count(*) FROM target)
      WHERE name = 'keys' AND EXISTS (SELECT FROM target) RETURNING value
    ), event AS (
      INSERT INTO key_events (revision, key_id, lookup_hash, previous_lookup_hash, revoked, restored)
      SELECT bumped.value - row_number() OVER (ORDER BY target.id DESC) + 1, target.id, target.lookup_hash,
        target.previous_lookup_hash, ${kind === 'revoked'}, ${kind === 'restored'}
      FROM bumped, target
      RETURNING revision
    )
    SELECT max(revision) AS revision, pg_notify('gateway_keys', '')::text FROM event HAVING count(*) > 0`;
  return lastRevisionRows.parse(rows)[0]?.revision;
}
