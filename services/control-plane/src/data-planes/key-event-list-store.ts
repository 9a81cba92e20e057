import { Prisma } from '@model-gateway/database';
import { z } from 'zod';
import { PrismaStore } from '../database/prisma-store.ts';
import { recordExpiries } from './key-event-store.ts';
import { EXPIRY_OF_KEY } from './levels-of-key-store.ts';

const keyEvents = z.array(
  z.object({
    revision: z.bigint(),
    keyId: z.string(),
    lookupHash: z.string(),
    previousLookupHash: z.string().nullable(),
    revoked: z.boolean(),
    /** Expiry of the key, its own or by rules, when this row was read; null: never. */
    expiresAt: z.date().nullable(),
  }),
);
export type KeyEvent = z.infer<typeof keyEvents>[number];

const revocationChanges = z.array(
  z.object({
    hashTag: z.string(),
    keyId: z.string(),
    revision: z.bigint(),
    lifted: z.boolean().optional(),
  }),
);

/** A revocation of a key, or (`lifted`) the end of its suspension. */
export type RevocationChange = z.infer<typeof revocationChanges>[number];

const expiredRows = z.tuple([z.object({ now: z.date(), any: z.boolean() })]);

/** A transaction that sets an expiry may commit this long after the key has expired. */
const EXPIRED_IN_A_TRANSACTION = '1 minute';

/** Older events are deleted. A data plane that was away for longer starts anew. */
const EVENT_RETENTION = '24 hours';

/** With more changes than this (some two megabytes), starting anew costs a data plane less. */
const MAX_REPLAYED = 10_000;

export class KeyEventListStore extends PrismaStore {
  /** Finds the revision of a revocation; undefined when no data plane needs one that old. */
  async revocationOf(keyId: string): Promise<bigint | undefined> {
    return await this.#lastRevocation([keyId]);
  }

  /**
   * Finds the last revocation of the seat's keys; undefined when there is none, or none recent enough to
   * matter.
   */
  async lastRevocationOfSeat(seatId: string): Promise<bigint | undefined> {
    const keys = await this.prisma.apiKey.findMany({ where: { seatId }, select: { id: true } });
    return await this.#lastRevocation(keys.map(({ id }) => id));
  }

  async #lastRevocation(keyIds: string[]): Promise<bigint | undefined> {
    const event = await this.prisma.keyEvent.findFirst({
      where: { keyId: { in: keyIds }, revoked: true },
      orderBy: { revision: 'desc' },
    });
    return event?.revision;
  }

  /**
   * Returns the current revision and the events after `from`. `complete` is false when events are deleted or
   * too many to replay.
   */
  async eventsSince(from: bigint): Promise<{ revision: bigint; complete: boolean; events: KeyEvent[] }> {
    // One snapshot, so that no event in between is lost.
    const [counter, rows] = await this.prisma.$transaction(
      [
        this.prisma.revision.findUniqueOrThrow({ where: { name: 'keys' } }),
        this.prisma.$queryRaw`
          SELECT e.revision, e.key_id AS "keyId", e.lookup_hash AS "lookupHash",
            e.previous_lookup_hash AS "previousLookupHash", e.revoked, ${EXPIRY_OF_KEY} AS "expiresAt"
          FROM key_events e
          LEFT JOIN api_keys k ON k.id = e.key_id
          LEFT JOIN seats s ON s.id = k.seat_id
          WHERE e.revision > ${from} ORDER BY e.revision LIMIT ${MAX_REPLAYED}`,
      ],
      { isolationLevel: 'RepeatableRead' },
    );
    const { value: revision } = counter;
    const events = keyEvents.parse(rows);
    return { revision, complete: from <= revision && BigInt(events.length) === revision - from, events };
  }

  async prune(): Promise<void> {
    await this.prisma.$executeRaw`
      DELETE FROM key_events
      WHERE created_at < now() - ${EVENT_RETENTION}::interval
        AND revision < (SELECT max(revision) FROM key_events)`;
  }

  /** Returns up to `limit` revocations and restored keys after a revision, in order, at most a day back. */
  async revocationsSince(revision: bigint, limit: number): Promise<RevocationChange[]> {
    return await this.query(revocationChanges)`
        SELECT e.revision, e.key_id AS "keyId", coalesce(s.team_id, e.key_id) AS "hashTag",
          e.restored AS lifted
        FROM key_events e JOIN api_keys k ON k.id = e.key_id LEFT JOIN seats s ON s.id = k.seat_id
        WHERE (e.revoked OR e.restored) AND e.revision > ${revision} ORDER BY e.revision LIMIT ${limit}`;
  }

  /**
   * Records a revocation for each issued key that expired since the last call, for data planes that missed
   * the change of its expiry.
   * @param since the last call's result; undefined: the whole last day
   */
  async recordExpired(since: Date | undefined): Promise<Date> {
    const from = since
      ? Prisma.sql`${since}::timestamptz - ${EXPIRED_IN_A_TRANSACTION}::interval`
      : Prisma.sql`now() - ${EVENT_RETENTION}::interval`;
    const [found] = await this.query(expiredRows)`
      SELECT now() AS now, EXISTS (
        SELECT FROM api_keys WHERE ${newlyExpired(from)}
      ) AS any`;
    if (found.any) await recordExpiries(this.prisma, newlyExpired(from));
    return found.now;
  }
}

/** Matches api_keys. Excludes playground keys: many, and their expiry never changes. */
function newlyExpired(from: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`
    expires_at > ${from} AND expires_at <= now() AND kind = 'issued' AND revoked_at IS NULL AND NOT EXISTS (
      SELECT FROM key_events e WHERE e.key_id = api_keys.id AND e.revoked
    )`;
}
