import { z } from 'zod';
import { PrismaStore } from '../database/prisma-store.ts';
import type { KeyEvent } from './key-event-list-store.ts';

/**
 * A data plane trusts its cache for 3 s, counted from when it sent a ping that was answered. This lease is
 * longer and is written before the answer, so it never ends before that time.
 */
const LEASE = '3500 milliseconds';
/** For this long, a revocation names a lost data plane as one that has not confirmed. */
const UNCONFIRMED_FOR = '10 minutes';
/** For this long, operators are told that a data plane is gone, and since when. */
const FORGET_AFTER = '1 day';
/**
 * A data plane that is only slow is heard again within this time after the end of its lease. After that it
 * counts as gone.
 */
const GONE_AFTER = '10 seconds';

/**
 * When the limit of a large team changes, there is an event for each of its keys. One turn reads this many
 * events.
 */
const MAX_EVENTS = 5_000;

const watcher = z.object({
  instanceId: z.string(),
  controlPlaneId: z.string(),
  ackedRevision: z.bigint(),
});

const storedWatcher = watcher.extend({
  /** True while the data plane may still trust its cache. */
  live: z.boolean(),
  /** True when its lease ran out so long ago that it will hardly be heard soon. */
  gone: z.boolean(),
});
export type StoredWatcher = z.infer<typeof storedWatcher>;

const knownWatcher = watcher.extend({
  /** When its lease ran out; null while it is live. */
  endedAt: z.date().nullable(),
});
/** A data plane as operators see it. */
export type KnownWatcher = z.infer<typeof knownWatcher>;

const turnRows = z.array(
  z.object({
    instanceId: z.string().nullable(),
    leftMs: z.number().nullable(),
    revision: z.bigint().nullable(),
    keyId: z.string().nullable(),
    lookupHash: z.string().nullable(),
    previousLookupHash: z.string().nullable(),
    revoked: z.boolean().nullable(),
    expiresAt: z.date().nullable(),
    epoch: z.string().nullable(),
  }),
);

/**
 * Knows which data planes may hold cached keys. Revocations wait for these rows, which all control planes
 * share. Statements that write several rows lock them in order of their ids first, so that no two of them
 * wait for each other.
 */
export class WatcherStore extends PrismaStore {
  /**
   * A data plane said hello: from now on revocations wait for it. Its earlier acknowledgements are dropped,
   * because the database may have been restored since.
   */
  async register(instanceId: string, controlPlaneId: string): Promise<void> {
    await this.prisma.$executeRaw`
      INSERT INTO key_watchers (instance_id, control_plane_id, acked_revision, lease_until)
      VALUES (${instanceId}, ${controlPlaneId}, 0, now() + ${LEASE}::interval)
      ON CONFLICT (instance_id) DO UPDATE SET
        control_plane_id = EXCLUDED.control_plane_id,
        acked_revision = EXCLUDED.acked_revision,
        lease_until = GREATEST(key_watchers.lease_until, EXCLUDED.lease_until)`;
  }

  /**
   * Renews the leases of data planes whose pings are about to be answered, and reads every event after
   * `from`, in one statement. So an event that it does not return was committed after the pings had arrived.
   * @returns `renewed` holds the instances that are registered, each with the milliseconds that its earlier
   *   lease still had when the statement began; the others must not be answered. `epoch` is the epoch in
   *   which all of this was read; undefined when the database has become another one and nobody has begun a
   *   new epoch yet. `isComplete` is false when there are more events than one call reads.
   */
  async renewAndRead(
    instanceIds: readonly string[],
    from: bigint,
  ): Promise<{
    epoch: string | undefined;
    renewed: Map<string, number>;
    events: KeyEvent[];
    isComplete: boolean;
  }> {
    const rows = turnRows.parse(
      await this.prisma.$queryRaw`
        WITH earlier AS (
          SELECT instance_id, lease_until FROM key_watchers
          WHERE instance_id = ANY(${[...instanceIds]}::text[])
          ORDER BY instance_id FOR UPDATE
        ), renewed AS (
          UPDATE key_watchers AS w SET lease_until = now() + ${LEASE}::interval
          FROM earlier WHERE earlier.instance_id = w.instance_id
          RETURNING w.instance_id,
            (extract(epoch FROM earlier.lease_until - now()) * 1000)::float8 AS left_ms
        )
        SELECT instance_id AS "instanceId", left_ms AS "leftMs", NULL::bigint AS revision, NULL AS "keyId",
          NULL AS "lookupHash", NULL AS "previousLookupHash", NULL::boolean AS revoked,
          NULL::timestamptz AS "expiresAt", NULL AS epoch
        FROM renewed
        UNION ALL
        (
          SELECT NULL, NULL, e.revision, e.key_id, e.lookup_hash, e.previous_lookup_hash, e.revoked,
            k.expires_at,
            NULL
          FROM key_events e LEFT JOIN api_keys k ON k.id = e.key_id
          WHERE e.revision > ${from} ORDER BY e.revision LIMIT ${MAX_EVENTS}
        )
        UNION ALL
        SELECT NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, epoch
        FROM installation WHERE identity = database_identity()
        ORDER BY revision`,
    );
    const renewed = new Map<string, number>();
    const events: KeyEvent[] = [];
    const epoch = rows.find((row) => row.epoch !== null)?.epoch ?? undefined;
    for (const { instanceId, leftMs, revision, keyId, lookupHash, revoked, ...row } of rows) {
      if (instanceId !== null) renewed.set(instanceId, leftMs ?? 0);
      else if (revision !== null && keyId !== null && lookupHash !== null && revoked !== null) {
        const { expiresAt, previousLookupHash } = row;
        events.push({ revision, keyId, lookupHash, previousLookupHash, revoked, expiresAt });
      }
    }
    return { epoch, renewed, events, isComplete: events.length < MAX_EVENTS };
  }

  /** Records acknowledgements and wakes every control plane that has a revocation waiting. */
  async acknowledge(acks: ReadonlyMap<string, bigint>): Promise<void> {
    await this.prisma.$executeRaw`
      WITH a AS (
        SELECT k.instance_id, given.revision
        FROM unnest(${[...acks.keys()]}::text[], ${[...acks.values()]}::bigint[])
          AS given (instance_id, revision)
        JOIN key_watchers AS k USING (instance_id)
        ORDER BY k.instance_id FOR UPDATE OF k
      ), acked AS (
        UPDATE key_watchers AS w SET acked_revision = GREATEST(w.acked_revision, a.revision)
        FROM a WHERE w.instance_id = a.instance_id
        RETURNING w.instance_id
      )
      SELECT pg_notify('gateway_watchers', '') FROM acked`;
  }

  /** The data plane said goodbye and trusts nothing any more. Its row stays if it said hello elsewhere. */
  async remove(instanceId: string, controlPlaneId: string): Promise<void> {
    await this.prisma.$executeRaw`
      WITH gone AS (
        DELETE FROM key_watchers WHERE instance_id = ${instanceId} AND control_plane_id = ${controlPlaneId}
        RETURNING instance_id
      )
      SELECT pg_notify('gateway_watchers', '') FROM gone`;
  }

  /** Lists the data planes that a revocation waits for, or names as unconfirmed. */
  async list(): Promise<StoredWatcher[]> {
    return z.array(storedWatcher).parse(
      await this.prisma.$queryRaw`
        SELECT instance_id AS "instanceId", control_plane_id AS "controlPlaneId",
          acked_revision AS "ackedRevision", lease_until > now() AS live,
          lease_until < now() - ${GONE_AFTER}::interval AS gone
        FROM key_watchers
        WHERE lease_until > now() - ${UNCONFIRMED_FOR}::interval ORDER BY instance_id`,
    );
  }

  /** Lists the live data planes, and those that ended within the last day by the clock. */
  async listKnown(): Promise<KnownWatcher[]> {
    return z.array(knownWatcher).parse(
      await this.prisma.$queryRaw`
        SELECT instance_id AS "instanceId", control_plane_id AS "controlPlaneId",
          acked_revision AS "ackedRevision", CASE WHEN lease_until <= now() THEN lease_until END AS "endedAt"
        FROM key_watchers
        WHERE lease_until > now() - ${FORGET_AFTER}::interval
        ORDER BY lease_until <= now(), instance_id`,
    );
  }

  /** Forgets data planes that have been gone for long. */
  async sweep(): Promise<void> {
    await this.prisma
      .$executeRaw`DELETE FROM key_watchers WHERE lease_until < now() - ${FORGET_AFTER}::interval`;
  }
}
