import { z } from 'zod';
import { PrismaStore } from '../database/prisma-store.ts';
import type { KeyEvent } from './key-event-list-store.ts';
import { EXPIRY_OF_KEY } from './levels-of-key-store.ts';

/**
 * A data plane trusts its cache for 3 s after sending an answered ping. The lease is longer and written
 * before the reply, so it never ends earlier.
 */
const LEASE = '3500 milliseconds';
/**
 * A revocation names a lost data plane as unconfirmed for this long after its lease. After its own lease, the
 * data plane checks each request and stream at Redis or a control plane. If it cannot, it refuses requests
 * and cuts streams after 4 s (`LapsedLease`). The rest of the time is for processes on a fraction of a CPU.
 */
const UNCONFIRMED_FOR = '30 seconds';
const FORGET_AFTER = '1 day';
/** A slow data plane is heard again within this time after its lease; later it counts as gone. */
const GONE_AFTER = '10 seconds';

/** Events per run of the key feed. A changed limit of a large team makes one event per key. */
const MAX_EVENTS = 5_000;

const watcher = z.object({
  instanceId: z.string(),
  controlPlaneId: z.string(),
  ackedRevision: z.bigint(),
});

const storedWatcher = watcher.extend({
  /** True while the data plane may trust its cache. */
  live: z.boolean(),
  /** True when its lease ended so long ago that it will hardly come back. */
  gone: z.boolean(),
});
export type StoredWatcher = z.infer<typeof storedWatcher>;

const knownWatcher = watcher.extend({
  /** End of its lease; null while live. */
  endedAt: z.date().nullable(),
});
export type KnownWatcher = z.infer<typeof knownWatcher>;

const runRows = z.array(
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
 * Stores which data planes may hold cached keys, shared by all control planes. Statements lock several rows
 * in order of id, so that none deadlock.
 */
export class WatcherStore extends PrismaStore {
  /**
   * Registers a data plane, so that revocations wait for it. Drops earlier acknowledgements: the database may
   * have been restored since.
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
   * Renews leases and reads the events after `from` in one statement, so that an event it does not return was
   * committed after the pings arrived.
   * @returns `renewed`: registered instances with the milliseconds left on their earlier lease; do not answer
   *   pings of others. `epoch`: undefined when the database changed and no new epoch has begun.
   *   `isComplete`: false when more events follow
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
    const rows = await this.query(runRows)`
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
          ${EXPIRY_OF_KEY}, NULL
        FROM key_events e
        LEFT JOIN api_keys k ON k.id = e.key_id
        LEFT JOIN seats s ON s.id = k.seat_id
        WHERE e.revision > ${from} ORDER BY e.revision LIMIT ${MAX_EVENTS}
      )
      UNION ALL
      SELECT NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, epoch
      FROM installation WHERE identity = database_identity()
      ORDER BY revision`;
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

  /** Records acknowledgements and wakes control planes with waiting revocations. */
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

  /** Removes a data plane that said goodbye here. Its row stays if it said hello elsewhere. */
  async remove(instanceId: string, controlPlaneId: string): Promise<void> {
    await this.prisma.$executeRaw`
      WITH gone AS (
        DELETE FROM key_watchers WHERE instance_id = ${instanceId} AND control_plane_id = ${controlPlaneId}
        RETURNING instance_id
      )
      SELECT pg_notify('gateway_watchers', '') FROM gone`;
  }

  async list(): Promise<StoredWatcher[]> {
    return await this.query(z.array(storedWatcher))`
      SELECT instance_id AS "instanceId", control_plane_id AS "controlPlaneId",
        acked_revision AS "ackedRevision", lease_until > now() AS live,
        lease_until < now() - ${GONE_AFTER}::interval AS gone
      FROM key_watchers
      WHERE lease_until > now() - ${UNCONFIRMED_FOR}::interval ORDER BY instance_id`;
  }

  /** Lists live data planes, and those that ended within the last day. */
  async listKnown(): Promise<KnownWatcher[]> {
    return await this.query(z.array(knownWatcher))`
      SELECT instance_id AS "instanceId", control_plane_id AS "controlPlaneId",
        acked_revision AS "ackedRevision", CASE WHEN lease_until <= now() THEN lease_until END AS "endedAt"
      FROM key_watchers
      WHERE lease_until > now() - ${FORGET_AFTER}::interval
      ORDER BY lease_until <= now(), instance_id`;
  }

  async prune(): Promise<void> {
    await this.prisma
      .$executeRaw`DELETE FROM key_watchers WHERE lease_until < now() - ${FORGET_AFTER}::interval`;
  }
}
