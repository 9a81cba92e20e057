import { Prisma } from '@model-gateway/database';
import { MAX_PRICE_LIST_VERSIONS, type PriceListTerms } from '@model-gateway/shared';
import type { AuditAction } from '@model-gateway/shared/audit-actions';
import { z } from 'zod';
import type { Actor } from '../actors/actor.ts';
import { type RecordedChange, recordChange } from '../audit/record-change.ts';
import { PrismaStore, queryRows, type Transaction } from '../database/prisma-store.ts';
import { failedPrecondition, invalidArgument, notFound } from '../errors/control-plane-error.ts';
import { listOrder } from '../lists/list-order-store.ts';
import type { ListQuery } from '../lists/list-page.ts';
import { type CheckedModel, requireChargeable } from './check-terms.ts';
import { priceListResource } from './price-list-resource.ts';
import { type StoredPriceList, storedPriceList } from './stored-price-list.ts';

export interface NewPriceListVersion {
  terms: PriceListTerms;
  /** Undefined: now. */
  validFrom: Date | undefined;
}

const numberRows = z.tuple([z.object({ number: z.int(), now: z.date() })]);
const ageRows = z.array(z.object({ ageMs: z.number() }));

/** Stores price lists. Each change makes a revision of the catalog, so data planes read it again. */
export class PriceListStore extends PrismaStore {
  /** @throws ControlPlaneError invalid_argument (`valid_from`), InvalidTerms */
  async create(
    actor: Actor,
    { id, isDefault, name }: Pick<StoredPriceList, 'id' | 'isDefault' | 'name'>,
    version: NewPriceListVersion,
  ): Promise<StoredPriceList> {
    return await this.prisma.$transaction(async (transaction) => {
      await beginRevision(transaction);
      const replaced = isDefault ? await unsetDefault(transaction) : [];
      await transaction.priceList.create({ data: { id, isDefault, name } });
      await insertVersion(transaction, id, version);
      const created = await requireList(transaction, id);
      await recordChange(
        transaction,
        actor,
        priceListChange('price_list.created', null, created),
        ...replaced,
      );
      return created;
    });
  }

  /** @throws ControlPlaneError not_found */
  async change(
    actor: Actor,
    id: string,
    changes: Partial<Pick<StoredPriceList, 'isDefault' | 'name'>>,
  ): Promise<StoredPriceList> {
    return await this.prisma.$transaction(async (transaction) => {
      await beginRevision(transaction);
      const before = await requireList(transaction, id);
      const replaced = changes.isDefault === true ? await unsetDefault(transaction, id) : [];
      await transaction.priceList.update({ where: { id }, data: { ...changes, updatedAt: new Date() } });
      const after = await requireList(transaction, id);
      const change = priceListChange('price_list.changed', before, after);
      await recordChange(transaction, actor, change, ...replaced);
      return after;
    });
  }

  /**
   * Adds a version with a number that no version of any list has had.
   * @throws ControlPlaneError not_found, invalid_argument (`valid_from`), failed_precondition (too many),
   *   InvalidTerms
   */
  async addVersion(actor: Actor, id: string, version: NewPriceListVersion): Promise<StoredPriceList> {
    return await this.prisma.$transaction(async (transaction) => {
      await beginRevision(transaction);
      const before = await requireList(transaction, id);
      if (before.versions.length >= MAX_PRICE_LIST_VERSIONS)
        throw failedPrecondition(
          `a price list has at most ${MAX_PRICE_LIST_VERSIONS} versions: create another list`,
        );
      await insertVersion(transaction, id, version);
      const after = await requireList(transaction, id);
      await recordChange(transaction, actor, priceListChange('price_list.changed', before, after));
      return after;
    });
  }

  /**
   * Deletes a list. Its versions are kept for receipts.
   * @throws ControlPlaneError not_found, failed_precondition (accounts have it, or it is the default)
   */
  async remove(actor: Actor, id: string): Promise<void> {
    await this.prisma.$transaction(async (transaction) => {
      await beginRevision(transaction);
      // Giving the list to an account waits for this lock, and then fails.
      await transaction.$executeRaw`SELECT FROM price_lists WHERE id = ${id} FOR UPDATE`;
      const before = await requireList(transaction, id);
      if (before.isDefault)
        throw failedPrecondition(
          `the price list ${id} is the default: make another one the default, or set its is_default to false`,
        );
      if (before.accounts > 0) {
        const have = before.accounts === 1 ? '1 account has' : `${before.accounts} accounts have`;
        throw failedPrecondition(`${have} the price list ${id}: give them another price_list_id, or null`);
      }
      await transaction.priceList.delete({ where: { id } });
      await recordChange(transaction, actor, priceListChange('price_list.deleted', before, null));
    });
  }

  /** Finds a list with all versions. @throws ControlPlaneError not_found */
  async require(id: string): Promise<StoredPriceList> {
    return await requireList(this.prisma, id);
  }

  /** Returns how long ago a list was created, by the database's clock. @throws ControlPlaneError not_found */
  async requireAge(id: string): Promise<number> {
    const [row] = await this.query(ageRows)`
      SELECT (extract(epoch FROM now() - created_at) * 1000)::float8 AS "ageMs" FROM price_lists WHERE id = ${id}`;
    if (row === undefined) throw noList(id);
    return row.ageMs;
  }

  /** Lists price lists with their last versions, newest first, one more than the limit. */
  async list(query: ListQuery): Promise<StoredPriceList[]> {
    const { isAfter, orderAndLimit } = listOrder('l', 'newest', query);
    return await this.query(z.array(storedPriceList))`
      SELECT ${columns(LAST_VERSION)} FROM price_lists l WHERE ${isAfter} ${orderAndLimit}`;
  }
}

/**
 * Locks a list against deletion until the commit. Call it before an account gets the list.
 * @throws ControlPlaneError not_found
 */
export async function holdPriceList(transaction: Transaction, id: string): Promise<void> {
  const rows = await queryRows(transaction, z.array(z.object({ id: z.string() })))`
    SELECT id FROM price_lists WHERE id = ${id} FOR KEY SHARE`;
  if (rows.length === 0) throw noList(id);
}

/** Locks the catalog against other changes, and notifies data planes after the commit. */
async function beginRevision(transaction: Transaction): Promise<void> {
  await transaction.$queryRaw`
    UPDATE revisions SET value = value + 1 WHERE name = 'catalog' RETURNING pg_notify('gateway_catalog', '')::text`;
}

/**
 * Takes the default from the list that has it.
 * @param exceptId the list that is made the default
 * @returns changes to record
 */
async function unsetDefault(transaction: Transaction, exceptId?: string): Promise<RecordedChange[]> {
  const former = await transaction.priceList.findFirst({ where: { isDefault: true } });
  if (former === null || former.id === exceptId) return [];
  const { id } = former;
  const before = await requireList(transaction, id);
  await transaction.priceList.update({ where: { id }, data: { isDefault: false } });
  return [priceListChange('price_list.changed', before, { ...before, isDefault: false })];
}

/** @throws ControlPlaneError invalid_argument, InvalidTerms */
async function insertVersion(
  transaction: Transaction,
  listId: string,
  { terms, validFrom }: NewPriceListVersion,
): Promise<void> {
  requireChargeable(terms, await findModels(transaction, terms));
  // Never reuses a number from before a restore (prisma/functions/renew_epoch.sql).
  const [{ now, number }] = await queryRows(transaction, numberRows)`
    SELECT greatest((SELECT max(number) FROM price_list_versions), price_floor) + 1 AS number,
      clock_timestamp() AS now
    FROM installation WHERE id = 1`;
  if (validFrom !== undefined && validFrom < now)
    throw invalidArgument('valid_from: must not be in the past. Leave it out for now');
  await transaction.priceListVersion.create({
    data: { number, listId, terms, validFrom: validFrom ?? now, createdAt: now },
  });
}

/** Finds the models of the catalog that have fixed prices in the terms. */
async function findModels(
  transaction: Transaction,
  { models }: PriceListTerms,
): Promise<ReadonlyMap<string, CheckedModel>> {
  const ids = models.flatMap(({ model, pricing }) => (pricing === undefined ? [] : [model]));
  const rows = await transaction.model.findMany({
    where: { id: { in: ids }, retiredAt: null },
    select: { id: true, capability: true, tier: true },
  });
  return new Map(rows.map((row) => [row.id, row]));
}

async function requireList(database: Pick<Transaction, '$queryRaw'>, id: string): Promise<StoredPriceList> {
  const [list] = await queryRows(database, z.array(storedPriceList))`
    SELECT ${columns(Prisma.empty)} FROM price_lists l WHERE l.id = ${id}`;
  if (list === undefined) throw noList(id);
  return list;
}

const LAST_VERSION = Prisma.sql`LIMIT 1`;

/** Selects a row `l` of price_lists in the form of storedPriceList. */
function columns(limit: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`
    l.id, l.name, l.is_default AS "isDefault", l.created_at AS "createdAt",
    (SELECT count(*)::int FROM accounts a WHERE a.price_list_id = l.id) AS accounts,
    (
      SELECT jsonb_agg(jsonb_build_object(
        'number', v.number, 'validFrom', v.valid_from, 'createdAt', v.created_at, 'terms', v.terms
      ) ORDER BY v.number DESC)
      FROM (
        SELECT * FROM price_list_versions v WHERE v.list_id = l.id ORDER BY v.number DESC ${limit}
      ) AS v
    ) AS versions`;
}

function noList(id: string) {
  return notFound(`there is no price list ${id}`);
}

function priceListChange(
  action: Extract<AuditAction, `price_list.${string}`>,
  before: StoredPriceList | null,
  after: StoredPriceList | null,
): RecordedChange {
  const { id, name } = after ?? before ?? { id: '', name: '' };
  return {
    action,
    object: { type: 'price_list', id, name },
    accountId: null,
    before: before && priceListResource(before),
    after: after && priceListResource(after),
  };
}
