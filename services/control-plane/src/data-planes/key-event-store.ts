import { Prisma, type PrismaClient } from '@model-gateway/database';
import { z } from 'zod';
import { queryRows } from '../database/prisma-store.ts';

export type Database = PrismaClient | Prisma.TransactionClient;

/** Matches api_keys. The many keys that expired long ago need no event. */
export const UNEXPIRED = Prisma.sql`(expires_at IS NULL OR expires_at > now())`;

const idRows = z.array(z.object({ id: z.string() }));
const changedRows = z.array(z.object({ revision: z.bigint(), id: z.string(), kind: z.string() }));
const lastRevisionRows = z.array(z.object({ revision: z.bigint() }));

/** Matches api_keys not revoked for good, so that a revocation changes something. */
const REVOCABLE = Prisma.sql`(revoked_at IS NULL OR suspended_at IS NOT NULL)`;

type KeyEventKind = 'changed' | 'revoked' | 'restored';

/**
 * Revokes active or suspended keys and records their events in one statement. The row lock on the counter
 * makes revisions commit in order.
 * @param which a condition on api_keys
 * @param alone of a revocation that is one statement: its time, and a call to make if a key was active
 * @returns the last revision; undefined when no key was active
 */
export async function revokeKeys(
  database: Database,
  which: Prisma.Sql,
  alone?: { at: Date; call: Prisma.Sql },
): Promise<bigint | undefined> {
  const at = alone === undefined ? Prisma.sql`now()` : Prisma.sql`${alone.at}::timestamptz`;
  const target = Prisma.sql`
    UPDATE api_keys SET revoked_at = ${at}, suspended_at = NULL WHERE ${which} AND ${REVOCABLE}
    RETURNING id, lookup_hash, previous_lookup_hash`;
  return await recordEvents(database, target, 'revoked', alone?.call);
}

/**
 * Suspends keys: revokes them, but restoreKeys can bring back those that are listed. Playground keys stay
 * revoked, because their sessions are over.
 * @param which a condition on api_keys
 */
export async function suspendKeys(database: Database, which: Prisma.Sql): Promise<bigint | undefined> {
  const target = Prisma.sql`
    UPDATE api_keys SET revoked_at = now(), suspended_at = CASE WHEN kind <> 'playground' THEN now() END
    WHERE ${which} AND revoked_at IS NULL AND ${UNEXPIRED} RETURNING id, lookup_hash, previous_lookup_hash`;
  return await recordEvents(database, target, 'revoked');
}

/**
 * Ends the suspension of keys. Turns their revocation events into changes, so that no later reader takes the
 * keys for revoked.
 * @param which a condition on api_keys
 * @returns the last revision; undefined when no key matched
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
 * Tells data planes to forget active keys whose limits or expiry changed. Call it after the change, in the
 * same transaction.
 * @param which a condition on api_keys
 * @returns the last revision; undefined when no key is active
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

/** Records expired keys like revoked ones. @param which a condition on api_keys */
export async function recordExpiries(database: Database, which: Prisma.Sql): Promise<void> {
  const target = Prisma.sql`SELECT id, lookup_hash, previous_lookup_hash FROM api_keys WHERE ${which}`;
  await recordEvents(database, target, 'revoked');
}

/** Keys revoked or restored together. */
export interface ChangedKeys {
  /** Without playground keys, oldest first. */
  keyIds: string[];
  /** The last one; undefined when no key changed, or too long ago to matter to a data plane. */
  revision: bigint | undefined;
}

/**
 * Finds keys revoked or restored since a moment; without one, those of the last such transaction, so that a
 * repeated call returns the same result.
 * @param which a condition on api_keys
 */
export async function lastChanged(
  database: Database,
  kind: 'revoked' | 'restored',
  which: Prisma.Sql,
  since?: Date | null,
): Promise<ChangedKeys> {
  const isOfKind = kind === 'revoked' ? Prisma.sql`e.revoked` : Prisma.sql`e.restored`;
  const from = since ? Prisma.sql`${since}::timestamptz` : Prisma.sql`(SELECT max(created_at) FROM event)`;
  const rows = await queryRows(database, changedRows)`
    WITH event AS (
      SELECT e.* FROM key_events e
      WHERE ${isOfKind} AND e.key_id IN (SELECT id FROM api_keys WHERE ${which})
    )
    SELECT max(event.revision) AS revision, k.id, k.kind FROM event JOIN api_keys k ON k.id = event.key_id
    WHERE event.created_at >= ${from}
    GROUP BY k.id ORDER BY k.created_at, k.id`;
  let revision: bigint | undefined;
  for (const row of rows) if (revision === undefined || row.revision > revision) revision = row.revision;
  const keyIds = rows.filter((row) => row.kind !== 'playground').map(({ id }) => id);
  return { keyIds, revision };
}

/** Revokes keys that have not expired, and returns which. @param which a condition on api_keys */
export async function revokeListedKeys(
  transaction: Prisma.TransactionClient,
  which: Prisma.Sql,
): Promise<ChangedKeys> {
  const active = Prisma.sql`${which} AND ${REVOCABLE} AND ${UNEXPIRED}`;
  const rows = await queryRows(transaction, idRows)`
    SELECT id FROM api_keys WHERE ${active} AND kind <> 'playground' ORDER BY created_at, id FOR UPDATE`;
  const keyIds = rows.map(({ id }) => id);
  return { keyIds, revision: await revokeKeys(transaction, active) };
}

/**
 * @param target returns id, lookup_hash and previous_lookup_hash of the keys
 * @param call made once, if there are keys
 */
async function recordEvents(
  database: Database,
  target: Prisma.Sql,
  kind: KeyEventKind,
  call = Prisma.sql`NULL`,
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
    SELECT max(revision) AS revision, pg_notify('gateway_keys', '')::text, ${call}
    FROM event HAVING count(*) > 0`;
  return lastRevisionRows.parse(rows)[0]?.revision;
}
