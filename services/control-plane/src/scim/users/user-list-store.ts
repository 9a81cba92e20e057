import { Prisma } from '@model-gateway/database';
import { z } from 'zod';
import { ReadingStore } from '../../database/reading-store.ts';
import type { Directory } from '../directory.ts';
import { type Column, type Columns, filterSql } from '../filter/filter-sql-store.ts';
import type { Filter } from '../filter/parse-filter.ts';
import type { Page } from '../page.ts';
import type { StoredUser } from './stored-user.ts';
import { storedUser, USER_COLUMNS } from './user-row-store.ts';

/** User with the groups of which it is a member. */
export interface ListedUser extends StoredUser {
  groups: { value: string; display: string }[];
}

const groups = z.object({ groups: z.array(z.object({ value: z.string(), display: z.string() })) });
const listedUser = z
  .unknown()
  .transform((row): ListedUser => ({ ...storedUser.parse(row), ...groups.parse(row) }));
const countRows = z.tuple([z.object({ count: z.int() })]);

const GROUPS_OF_USER = Prisma.sql`
  (SELECT coalesce(
    jsonb_agg(jsonb_build_object('value', g.id, 'display', g.display_name) ORDER BY g.display_name), '[]')
   FROM scim_group_members gm JOIN scim_groups g ON g.id = gm.group_id WHERE gm.user_id = u.id) AS groups`;

const ENTERPRISE_USER = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:user';
/** Entra ID asks whether a user has a manager; the gateway keeps none. */
const NOTHING: Column = { type: 'text', sql: Prisma.sql`NULL::text` };

/** Attributes by which users can be filtered. */
const COLUMNS: Columns = new Map<string, Column>([
  ['id', { type: 'text', sql: Prisma.sql`u.id` }],
  ['username', { type: 'text', sql: Prisma.sql`u.user_name_key`, ignoresCase: true }],
  ['externalid', { type: 'text', sql: Prisma.sql`u.external_id` }],
  ['displayname', { type: 'text', sql: Prisma.sql`lower(u.display_name)`, ignoresCase: true }],
  ['name.givenname', { type: 'text', sql: Prisma.sql`lower(u.given_name)`, ignoresCase: true }],
  ['name.familyname', { type: 'text', sql: Prisma.sql`lower(u.family_name)`, ignoresCase: true }],
  ['name.formatted', { type: 'text', sql: Prisma.sql`lower(u.formatted_name)`, ignoresCase: true }],
  ['active', { type: 'boolean', sql: Prisma.sql`u.active` }],
  ['meta.created', { type: 'time', sql: Prisma.sql`u.created_at` }],
  ['meta.lastmodified', { type: 'time', sql: Prisma.sql`u.updated_at` }],
  ['manager', NOTHING],
  [`${ENTERPRISE_USER}:manager`, NOTHING],
  [
    'emails',
    {
      type: 'values',
      columns: new Map<string, Column>([
        ['value', { type: 'text', sql: Prisma.sql`lower(e.value->>'value')`, ignoresCase: true }],
        ['type', { type: 'text', sql: Prisma.sql`lower(e.value->>'type')`, ignoresCase: true }],
        ['primary', { type: 'boolean', sql: Prisma.sql`coalesce((e.value->>'primary')::boolean, false)` }],
      ]),
      exists: (condition) =>
        Prisma.sql`EXISTS (SELECT FROM jsonb_array_elements(u.emails) e WHERE ${condition})`,
      hasValue: (value) => Prisma.sql`u.email_keys @> ARRAY[${value}]::text[]`,
    },
  ],
  [
    'groups',
    {
      type: 'values',
      columns: new Map([['value', { type: 'text', sql: Prisma.sql`gm.group_id` }]]),
      exists: (condition) =>
        Prisma.sql`EXISTS (SELECT FROM scim_group_members gm WHERE gm.user_id = u.id AND ${condition})`,
    },
  ],
]);

/** Lists users in the database, by filter and page. */
export class ScimUserListStore extends ReadingStore {
  async find({ key }: Directory, id: string, signal: AbortSignal): Promise<ListedUser | undefined> {
    const [user] = await this.query(z.array(listedUser), signal)`
      SELECT ${USER_COLUMNS}, ${GROUPS_OF_USER} FROM scim_users u WHERE u.id = ${id} AND u.directory = ${key}`;
    return user;
  }

  /** Lists users, oldest first. @throws ScimError 400 invalidFilter */
  async list(
    { key }: Directory,
    filter: Filter | undefined,
    { count, offset }: Page,
    signal: AbortSignal,
  ): Promise<{ total: number; users: ListedUser[] }> {
    const condition = filter === undefined ? Prisma.sql`true` : filterSql(filter, COLUMNS);
    const which = Prisma.sql`u.directory = ${key} AND ${condition}`;
    const [{ count: total }] = await this.query(countRows, signal)`
      SELECT count(*)::int AS count FROM scim_users u WHERE ${which}`;
    if (count === 0 || offset >= total) return { total, users: [] };
    const users = await this.query(z.array(listedUser), signal)`
      SELECT ${USER_COLUMNS}, ${GROUPS_OF_USER} FROM scim_users u WHERE ${which}
      ORDER BY u.created_at, u.id LIMIT ${count} OFFSET ${offset}`;
    return { total, users };
  }
}
