import { Prisma, type PrismaClient } from '@model-gateway/database';
import { z } from 'zod';
import { recordExpiries, revokeKeys } from '../data-planes/key-event-store.ts';
import { insertKey, type NewKey } from './new-key-store.ts';
import { HASHES } from './stored-hashes.ts';

export interface StoredKey {
  id: string;
  accountId: string;
  seatId: string | null;
  name: string;
  displayPrefix: string;
  /** issued, playground (hidden) or demo */
  kind: string;
  createdAt: Date;
  /** Null: never. */
  expiresAt: Date | null;
  revokedAt: Date | null;
  /** Null: if it is revoked, then for good; else until its account is resumed. */
  suspendedAt: Date | null;
  /** Id of the key that it was rotated for. */
  replacedBy: string | null;
}

/** What one look-up by hash finds, and the revision it reflects. */
export interface ResolvedKey {
  revision: bigint;
  key:
    | {
        id: string;
        accountId: string;
        seatId: string | null;
        teamId: string | null;
        freePerMinute: number | null;
        paidPerMinute: number | null;
        readsPerMinute: number | null;
        concurrentStreams: number | null;
        /** Null: never. */
        expiresAt: Date | null;
        teamPerMinute: number | null;
      }
    | undefined;
}

export interface KeyEvent {
  revision: bigint;
  keyId: string;
  lookupHash: string;
  previousLookupHash: string | null;
  revoked: boolean;
  /** When the key expires, as of when this was read; null: never. */
  expiresAt: Date | null;
}

const resolvedRow = z.object({
  revision: z.bigint(),
  id: z.string().nullable(),
  accountId: z.string().nullable(),
  seatId: z.string().nullable(),
  teamId: z.string().nullable(),
  freePerMinute: z.number().nullable(),
  paidPerMinute: z.number().nullable(),
  readsPerMinute: z.number().nullable(),
  concurrentStreams: z.number().nullable(),
  expiresAt: z.date().nullable(),
  teamPerMinute: z.number().nullable(),
});

const keyEvents = z.array(
  z.object({
    revision: z.bigint(),
    keyId: z.string(),
    lookupHash: z.string(),
    previousLookupHash: z.string().nullable(),
    revoked: z.boolean(),
    expiresAt: z.date().nullable(),
  }),
);

const revocationChanges = z.array(
  z.object({
    hashTag: z.string(),
    keyId: z.string(),
    revision: z.bigint(),
    lifted: z.boolean().optional(),
  }),
);

/** A key was revoked, or, `lifted`, its suspension has ended. */
export type RevocationChange = z.infer<typeof revocationChanges>[number];

const expiredRows = z.tuple([z.object({ now: z.date(), any: z.boolean() })]);

/** An end that is set to a moment may be committed so much later. */
const EXPIRED_IN_A_TRANSACTION = '1 minute';

/** Events that are older are pruned; a data plane that was away for longer starts anew. */
const EVENT_RETENTION = '24 hours';

/** Beyond so many changes, some two megabytes, starting anew costs a data plane less. */
const MAX_REPLAYED = 10_000;

/** The keys in Postgres. */
export class KeyStore {
  readonly #prisma: PrismaClient;

  constructor(prisma: PrismaClient) {
    this.#prisma = prisma;
  }

  /**
   * Whoever changes the limits of the account or the team, or removes the seat, either waits for the locks
   * that are taken here and then sees the new key, or is waited for.
   * @throws ControlPlaneError not_found, failed_precondition (the seat was removed), invalid_argument (it is
   * another account's)
   */
  async create(key: NewKey): Promise<StoredKey> {
    return await this.#prisma.$transaction(async (transaction) => {
      await transaction.$executeRaw`SELECT FROM accounts WHERE id = ${key.accountId} FOR SHARE`;
      return await insertKey(transaction, key);
    });
  }

  async find(id: string): Promise<StoredKey | null> {
    return await this.#prisma.apiKey.findUnique({ where: { id }, omit: HASHES });
  }

  /**
   * One statement, one look-up in the unique index of lookup_hash; context and revision from one snapshot.
   * Only a hash that is not found there is looked for among those under the pepper before.
   */
  async resolve(lookupHash: string): Promise<ResolvedKey> {
    const found = await this.#resolve(lookupHash, 'lookup_hash');
    return found.key === undefined ? await this.#resolve(lookupHash, 'previous_lookup_hash') : found;
  }

  /**
   * A key that is stored under the hash of the pepper before gets its new one, and is known by both. So does
   * one that had moved from that pepper to another one, which was given up.
   */
  async moveHash(
    previousLookupHash: string,
    to: { lookupHash: string; pepperFingerprint: string },
  ): Promise<void> {
    await this.#prisma.apiKey.updateMany({
      where: { OR: [{ lookupHash: previousLookupHash }, { previousLookupHash }], revokedAt: null },
      data: { ...to, previousLookupHash },
    });
  }

  async #resolve(lookupHash: string, column: HashColumn): Promise<ResolvedKey> {
    const rows = await this.#prisma.$queryRaw(resolveStatement(lookupHash, column));
    const [row] = z.array(resolvedRow).parse(rows);
    if (row === undefined) throw new Error('the row of the key revision is missing');
    const { revision, id, accountId, ...rest } = row;
    return { revision, key: id === null || accountId === null ? undefined : { id, accountId, ...rest } };
  }

  /**
   * Revokes a key for good, if it is not yet, and records the event under the next revision; all in one
   * statement.
   * @returns the revision of the event; undefined when the key was revoked before
   */
  async revoke(id: string): Promise<bigint | undefined> {
    return await revokeKeys(this.#prisma, Prisma.sql`id = ${id}`);
  }

  /** The revision at which the key was revoked; undefined when that is too long ago to matter to anybody. */
  async revocationOf(id: string): Promise<bigint | undefined> {
    const event = await this.#prisma.keyEvent.findFirst({
      where: { keyId: id, revoked: true },
      orderBy: { revision: 'desc' },
    });
    return event?.revision;
  }

  /**
   * The current revision, and what came after `from`. `complete` is false when some of that has been pruned,
   * or when it is so much that starting anew costs less.
   */
  async eventsSince(from: bigint): Promise<{ revision: bigint; complete: boolean; events: KeyEvent[] }> {
    // One snapshot for both reads: an event between them must not fall through.
    const [counter, rows] = await this.#prisma.$transaction(
      [
        this.#prisma.revision.findUniqueOrThrow({ where: { name: 'keys' } }),
        this.#prisma.$queryRaw`
          SELECT e.revision, e.key_id AS "keyId", e.lookup_hash AS "lookupHash",
            e.previous_lookup_hash AS "previousLookupHash", e.revoked, k.expires_at AS "expiresAt"
          FROM key_events e LEFT JOIN api_keys k ON k.id = e.key_id
          WHERE e.revision > ${from} ORDER BY e.revision LIMIT ${MAX_REPLAYED}`,
      ],
      { isolationLevel: 'RepeatableRead' },
    );
    const { value: revision } = counter;
    const events = keyEvents.parse(rows);
    return { revision, complete: from <= revision && BigInt(events.length) === revision - from, events };
  }

  async pruneEvents(): Promise<void> {
    await this.#prisma.$executeRaw`
      DELETE FROM key_events
      WHERE created_at < now() - ${EVENT_RETENTION}::interval
        AND revision < (SELECT max(revision) FROM key_events)`;
  }

  /**
   * The first `limit` revocations after a revision, and suspensions that ended, as far as they are kept (a
   * day), in their order.
   */
  async revocationsSince(revision: bigint, limit: number): Promise<RevocationChange[]> {
    return revocationChanges.parse(
      await this.#prisma.$queryRaw`
          SELECT e.revision, e.key_id AS "keyId", coalesce(s.team_id, e.key_id) AS "hashTag",
            e.restored AS lifted
          FROM key_events e JOIN api_keys k ON k.id = e.key_id LEFT JOIN seats s ON s.id = k.seat_id
          WHERE (e.revoked OR e.restored) AND e.revision > ${revision} ORDER BY e.revision LIMIT ${limit}`,
    );
  }

  /**
   * Records a revocation of every issued key that has expired since the last time: a data plane that was cut
   * off when its end was set learns of it as of other revocations. What was rotated or suspended in time has
   * one already.
   * @param since what this returned the last time; undefined: all of the last day are looked at
   */
  async recordExpired(since: Date | undefined): Promise<Date> {
    const from = since
      ? Prisma.sql`${since}::timestamptz - ${EXPIRED_IN_A_TRANSACTION}::interval`
      : Prisma.sql`now() - ${EVENT_RETENTION}::interval`;
    const [found] = expiredRows.parse(
      await this.#prisma.$queryRaw`
        SELECT now() AS now, EXISTS (
          SELECT FROM api_keys WHERE ${newlyExpired(from)}
        ) AS any`,
    );
    if (found.any) await recordExpiries(this.#prisma, newlyExpired(from));
    return found.now;
  }

  /** `active`: keys that open anything. */
  async count(): Promise<{ revision: bigint; active: number }> {
    const [counter, active] = await Promise.all([
      this.#prisma.revision.findUniqueOrThrow({ where: { name: 'keys' } }),
      this.#prisma.apiKey.count({
        where: {
          revokedAt: null,
          kind: { not: 'demo' },
          OR: [{ expiresAt: null }, { expiresAt: { gt: new Date() } }],
        },
      }),
    ]);
    return { revision: counter.value, active };
  }
}

/** A condition on api_keys. Those of the playground are many, and their end never changes. */
function newlyExpired(from: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`
    expires_at > ${from} AND expires_at <= now() AND kind = 'issued' AND revoked_at IS NULL AND NOT EXISTS (
      SELECT FROM key_events e WHERE e.key_id = api_keys.id AND e.revoked
    )`;
}

type HashColumn = 'lookup_hash' | 'previous_lookup_hash';
const COLUMNS: Readonly<Record<HashColumn, Prisma.Sql>> = {
  lookup_hash: Prisma.sql`k.lookup_hash`,
  previous_lookup_hash: Prisma.sql`k.previous_lookup_hash`,
};

/** Exported for the test that reads its plan. */
export function resolveStatement(lookupHash: string, column: HashColumn = 'lookup_hash'): Prisma.Sql {
  return Prisma.sql`
    SELECT r.value AS revision, k.id, k.account_id AS "accountId", k.seat_id AS "seatId", s.team_id AS "teamId",
      a.free_per_minute AS "freePerMinute", a.paid_per_minute AS "paidPerMinute",
      a.reads_per_minute AS "readsPerMinute", a.concurrent_streams AS "concurrentStreams",
      k.expires_at AS "expiresAt", t.requests_per_minute AS "teamPerMinute"
    FROM revisions r
    LEFT JOIN api_keys k ON ${COLUMNS[column]} = ${lookupHash} AND k.revoked_at IS NULL
      AND (k.expires_at IS NULL OR k.expires_at > now())
    LEFT JOIN accounts a ON a.id = k.account_id
    LEFT JOIN seats s ON s.id = k.seat_id
    LEFT JOIN teams t ON t.id = s.team_id
    WHERE r.name = 'keys'`;
}
