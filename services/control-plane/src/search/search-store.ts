import { Prisma } from '@model-gateway/database';
import { z } from 'zod';
import { ReadingStore } from '../database/reading-store.ts';
import { beginsWith } from '../lists/begins-with-store.ts';
import { isRequest } from '../partitions/arrival-store.ts';

/** Kinds of objects that a search finds, in the order of its results. */
export const SEARCHED_KINDS = ['account', 'team', 'seat', 'key', 'end_user', 'member', 'request'] as const;

const foundRows = z.array(
  z.object({
    kind: z.enum(SEARCHED_KINDS),
    id: z.string(),
    label: z.string(),
    /** The id, name or address that begins with the text. */
    matched: z.string(),
    accountId: z.string(),
    accountName: z.string(),
    accountEmail: z.string(),
  }),
);
/** Object that a search found, with its account. */
export type FoundObject = z.infer<typeof foundRows>[number];

/** Rows read from each index. */
const EACH = Prisma.raw('LIMIT 8');
/** Sums read for end users, who have one per day, model and seat. */
const SUMS = Prisma.raw('LIMIT 1000');

export class SearchStore extends ReadingStore {
  /** Finds objects of all accounts; one that several indexes find is returned several times. */
  async find(text: string, signal: AbortSignal): Promise<FoundObject[]> {
    return foundRows.parse(await this.reads.query(searchStatement(text), signal));
  }
}

/** Exported for the test that reads its query plan. */
export function searchStatement(text: string): Prisma.Sql {
  const found = [
    ...fromTable('account', 'accounts', Prisma.sql`f.name`, Prisma.sql`f.id`, [
      isEqual('id', text),
      isEqual('external_id', text),
      begins('name', text),
      begins('email', text),
    ]),
    ...fromTable('team', 'teams', Prisma.sql`f.name`, Prisma.sql`f.owner_account_id`, [
      isEqual('id', text),
      isEqual('external_id', text),
      begins('name', text),
    ]),
    ...fromTable('seat', 'seats', SEAT_LABEL, Prisma.sql`f.account_id`, [
      isEqual('id', text),
      isEqual('external_id', text),
      seatOfAddress(text),
    ]),
    ...fromTable('key', 'api_keys', Prisma.sql`f.name`, Prisma.sql`f.account_id`, [
      isEqual('id', text),
      isEqual('external_id', text),
      begins('name', text),
      begins('display_prefix', text),
    ]),
    ...fromTable('end_user', 'end_users', Prisma.sql`f.id`, Prisma.sql`f.account_id`, [
      isEqual('external_id', text),
      begins('id', text),
    ]),
    usedEndUsers(text),
    ...fromTable('member', 'account_members', Prisma.sql`f.email`, Prisma.sql`f.account_id`, [
      isEqual('id', text),
      begins('name', text),
      begins('email', text),
    ]),
    Prisma.sql`(
      SELECT 'request', r.request_id, r.model_id, r.request_id, r.account_id
      FROM usage_records r WHERE ${isRequest(text)} ${EACH}
    )`,
  ];
  return Prisma.sql`
    SELECT f.kind, f.id, f.label, f.matched, a.id AS "accountId", a.name AS "accountName",
      a.email AS "accountEmail"
    FROM (${Prisma.join(found, ' UNION ALL ')}) AS f (kind, id, label, matched, account_id)
    CROSS JOIN LATERAL (SELECT o.id, o.name, o.email FROM accounts o WHERE o.id = f.account_id LIMIT 1) AS a`;
}

interface Match {
  where: Prisma.Sql;
  matched: Prisma.Sql;
}

/** Conditions on rows `f` that are still there. Revoked keys are found, too. */
const IS_THERE: Record<string, Prisma.Sql> = {
  accounts: Prisma.sql`f.deleted_at IS NULL`,
  teams: Prisma.sql`f.deleted_at IS NULL`,
  seats: Prisma.sql`f.removed_at IS NULL`,
  api_keys: Prisma.sql`f.kind <> 'playground'`,
};

const SEAT_LABEL = Prisma.sql`(
  SELECT t.name || ': ' || o.email FROM teams t JOIN accounts o ON o.id = f.account_id WHERE t.id = f.team_id)`;

/** Returns a query of a table `f` for each match, so that each reads one index. */
function fromTable(
  kind: FoundObject['kind'],
  table: string,
  label: Prisma.Sql,
  accountId: Prisma.Sql,
  matches: readonly Match[],
): Prisma.Sql[] {
  const isThere = IS_THERE[table] ?? Prisma.sql`true`;
  return matches.map(
    ({ where, matched }) => Prisma.sql`(
      SELECT ${Prisma.raw(`'${kind}'`)}, f.id, ${label}, ${matched}, ${accountId}
      FROM ${Prisma.raw(table)} f WHERE ${isThere} AND ${where} ${EACH}
    )`,
  );
}

function isEqual(column: string, text: string): Match {
  const matched = Prisma.raw(`f.${column}`);
  return { where: Prisma.sql`${matched} = ${text}`, matched };
}

function begins(column: string, text: string): Match {
  return { where: beginsWith(`f.${column}`, text), matched: Prisma.raw(`f.${column}`) };
}

function seatOfAddress(text: string): Match {
  const holder = Prisma.sql`SELECT o.id FROM accounts o WHERE o.email = lower(${text})`;
  return { where: Prisma.sql`f.account_id = (${holder})`, matched: Prisma.sql`${text}` };
}

/** End users that only requests have named. */
function usedEndUsers(text: string): Prisma.Sql {
  const { where } = begins('value', text);
  return Prisma.sql`(
    SELECT DISTINCT 'end_user', u.value, u.value, u.value, u.account_id
    FROM (SELECT f.value, f.account_id FROM usage_label_days f
      WHERE f.label = 'end_user' AND f.value <> '' AND ${where} ${SUMS}) AS u
    ${EACH}
  )`;
}
