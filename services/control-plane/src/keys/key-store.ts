import { Prisma } from '@model-gateway/database';
import { tags } from '@model-gateway/shared/rules';
import { z } from 'zod';
import type { Actor } from '../actors/actor.ts';
import { appendEventSql } from '../audit/append-event-store.ts';
import { doneEvent, recordChange } from '../audit/record-change.ts';
import { revokeKeys } from '../data-planes/key-event-store.ts';
import { LEVELS_OF_KEY } from '../data-planes/levels-of-key-store.ts';
import { BatchedLookup } from '../database/batched-lookup.ts';
import { PrismaStore } from '../database/prisma-store.ts';
import { refuseDuplicates } from '../database/refuse-duplicates.ts';
import { notFound } from '../errors/control-plane-error.ts';
import { emitEventsSql } from '../events/emit-event-store.ts';
import { eventsOfChange } from '../events/events-of-change.ts';
import { calendarColumns, storedRules } from '../rules/resolved-rules.ts';
import { rulesColumns } from '../rules/rules-columns-store.ts';
import { keyChange } from './key-change.ts';
import type { ChangedKey } from './key-change-store.ts';
import { LISTED_KEY } from './key-list-store.ts';
import { lockKey } from './locked-key-store.ts';
import { type NewKey, recordNewKey } from './new-key-store.ts';
import { findKey, readKey } from './read-key-store.ts';
import { type StoredKey, storedKey } from './stored-key.ts';

const resolvedRow = z.object({
  hash: z.string(),
  revision: z.bigint(),
  id: z.string().nullable(),
  accountId: z.string().nullable(),
  seatId: z.string().nullable(),
  teamId: z.string().nullable(),
  freePerMinute: z.number().nullable(),
  paidPerMinute: z.number().nullable(),
  readsPerMinute: z.number().nullable(),
  concurrentStreams: z.number().nullable(),
  /** Null: never. */
  expiresAt: z.date().nullable(),
  teamPerMinute: z.number().nullable(),
  tags: tags.nullable(),
  cache: z.string().nullable(),
  endUsersVersion: z.int().nullable(),
  /** Null: the owner of the account has not turned on contents. */
  contentsKeyId: z.bigint().nullable(),
  priceListId: z.string().nullable(),
  /** Calendar of the account. */
  calendar: calendarColumns.nullable(),
  /** Calendar of the account that owns the team. */
  teamCalendar: calendarColumns.nullable(),
  ...storedRules.shape,
});
type ResolvedRow = z.infer<typeof resolvedRow>;

const versionedKey = storedKey.extend({ version: z.string(), readAt: z.date() });

/** Result of a lookup by hash, and the revision of the keys at that moment. */
export interface KeyLookup {
  revision: bigint;
  key: (Omit<ResolvedRow, 'hash' | 'revision'> & { id: string; accountId: string }) | undefined;
}

export class KeyStore extends PrismaStore {
  readonly #byHash = new BatchedLookup((hashes) => this.#resolve(hashes, 'lookup_hash'));
  readonly #byPreviousHash = new BatchedLookup((hashes) => this.#resolve(hashes, 'previous_lookup_hash'));

  /**
   * Issues a key. Locks account and seat: a concurrent change of limits or removal of the seat either
   * includes this key, or this call sees the change.
   * @throws ControlPlaneError not_found, failed_precondition (removed seat), invalid_argument (another
   *   account's seat)
   */
  async create(actor: Actor, key: NewKey): Promise<StoredKey> {
    return await refuseDuplicates('key', key.externalId, () =>
      this.prisma.$transaction(async (transaction) => {
        await transaction.$executeRaw`SELECT FROM accounts WHERE id = ${key.accountId} FOR SHARE`;
        return await recordNewKey(transaction, actor, key);
      }),
    );
  }

  async find(id: string): Promise<StoredKey | null> {
    return await findKey(this.prisma, id);
  }

  /**
   * Finds a key with one index look-up, from a snapshot newer than the call. Looks among hashes of the
   * previous pepper only when it is not found.
   */
  async resolve(lookupHash: string): Promise<KeyLookup> {
    const found = await this.#byHash.find(lookupHash);
    return found.key === undefined ? await this.#byPreviousHash.find(lookupHash) : found;
  }

  /**
   * Stores the new pepper's hash beside the previous one, so that both find the key. Also moves a key from an
   * abandoned new pepper.
   */
  async moveHash(
    previousLookupHash: string,
    to: { lookupHash: string; pepperFingerprint: string },
  ): Promise<void> {
    await this.prisma.apiKey.updateMany({
      where: { OR: [{ lookupHash: previousLookupHash }, { previousLookupHash }], revokedAt: null },
      data: { ...to, previousLookupHash },
    });
  }

  async #resolve(hashes: string[], column: HashColumn): Promise<Map<string, KeyLookup>> {
    const rows = z.array(resolvedRow).parse(await this.prisma.$queryRaw(resolveStatement(hashes, column)));
    return new Map(
      rows.map(({ hash, revision, id, accountId, ...rest }) => {
        const key = id === null || accountId === null ? undefined : { id, accountId, ...rest };
        return [hash, { revision, key }];
      }),
    );
  }

  /**
   * Revokes a key for good. A hidden key has no audit event, as when it was created.
   * @returns `revision` of its event; undefined when it was revoked before
   * @throws ControlPlaneError not_found
   */
  async revoke(actor: Actor, id: string): Promise<ChangedKey> {
    const revoked = await this.#revokeAlone(actor, id);
    if (revoked !== undefined) return revoked;
    return await this.prisma.$transaction(async (transaction) => {
      const before = await lockKey(transaction, id);
      if (before === null) throw notFound(`there is no key ${id}`);
      const revision = await revokeKeys(transaction, Prisma.sql`id = ${id}`);
      const key = revision === undefined ? before : await readKey(transaction, id);
      if (key.kind !== 'playground')
        await recordChange(transaction, actor, keyChange('api_key.revoked', before, key));
      return { key, revision };
    });
  }

  /**
   * Revokes an active key with its audit event in one statement, because a revocation must be as fast as it
   * can.
   * @returns undefined: the key is not active or changed meanwhile, or the request has conditions
   */
  async #revokeAlone(actor: Actor, id: string): Promise<ChangedKey | undefined> {
    const [found] = await this.query(z.array(versionedKey))`
      SELECT ${LISTED_KEY}, k.xmin::text AS version, now() AS "readAt" FROM api_keys k WHERE k.id = ${id}`;
    const isPlain = actor.guard === undefined && found?.revokedAt === null && found.kind === 'issued';
    if (!isPlain) return undefined;
    const { readAt: at, version, ...before } = found;
    const key = { ...before, revokedAt: at };
    const change = keyChange('api_key.revoked', before, key);
    const call = Prisma.sql`
      ${emitEventsSql(eventsOfChange(change))}, ${appendEventSql(doneEvent(actor, change))}`;
    const which = Prisma.sql`id = ${id} AND xmin::text = ${version}`;
    const revision = await revokeKeys(this.prisma, which, { at, call });
    return revision === undefined ? undefined : { key, revision };
  }

  async count(): Promise<{ revision: bigint; active: number }> {
    const [counter, active] = await Promise.all([
      this.prisma.revision.findUniqueOrThrow({ where: { name: 'keys' } }),
      this.prisma.apiKey.count({
        where: {
          revokedAt: null,
          kind: { in: ['issued', 'playground'] },
          OR: [{ expiresAt: null }, { expiresAt: { gt: new Date() } }],
        },
      }),
    ]);
    return { revision: counter.value, active };
  }
}

type HashColumn = 'lookup_hash' | 'previous_lookup_hash';
const COLUMNS: Readonly<Record<HashColumn, Prisma.Sql>> = {
  lookup_hash: Prisma.sql`k.lookup_hash`,
  previous_lookup_hash: Prisma.sql`k.previous_lookup_hash`,
};

/** Owners of the rules of a key, and of the template of its account's end users. */
const OWNERS = Prisma.sql`(${LEVELS_OF_KEY} || ('end_users:' || k.account_id))`;

/** The calendar of a joined account; null without one. */
function calendar(account: 'a' | 'o'): Prisma.Sql {
  const table = Prisma.raw(account);
  return Prisma.sql`CASE WHEN ${table}.id IS NOT NULL THEN
    jsonb_build_object('timezone', ${table}.timezone, 'weekStarts', ${table}.week_starts) END`;
}

export function resolveStatement(hashes: string[], column: HashColumn = 'lookup_hash'): Prisma.Sql {
  return Prisma.sql`
    SELECT given.hash, r.value AS revision, k.id, k.account_id AS "accountId", k.seat_id AS "seatId",
      s.team_id AS "teamId",
      a.free_per_minute AS "freePerMinute", a.paid_per_minute AS "paidPerMinute",
      a.reads_per_minute AS "readsPerMinute", a.concurrent_streams AS "concurrentStreams",
      k.expires_at AS "expiresAt", t.requests_per_minute AS "teamPerMinute", k.tags, k.cache,
      a.end_users_version AS "endUsersVersion", c.id AS "contentsKeyId",
      CASE WHEN t.id IS NULL THEN a.price_list_id ELSE o.price_list_id END AS "priceListId",
      ${calendar('a')} AS calendar,
      ${calendar('o')} AS "teamCalendar", ${rulesColumns(OWNERS)}
    FROM revisions r
    CROSS JOIN unnest(${hashes}::text[]) AS given (hash)
    LEFT JOIN api_keys k ON ${COLUMNS[column]} = given.hash AND k.revoked_at IS NULL
      AND (k.expires_at IS NULL OR k.expires_at > now())
    LEFT JOIN accounts a ON a.id = k.account_id
    LEFT JOIN contents_keys c ON c.account_id = k.account_id AND c.sealed IS NOT NULL
    LEFT JOIN seats s ON s.id = k.seat_id
    LEFT JOIN teams t ON t.id = s.team_id
    LEFT JOIN accounts o ON o.id = t.owner_account_id
    WHERE r.name = 'keys'`;
}
