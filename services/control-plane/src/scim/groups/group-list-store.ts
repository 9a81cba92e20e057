import { Prisma } from '@model-gateway/database';
import { z } from 'zod';
import { ReadingStore } from '../../database/reading-store.ts';
import type { Directory } from '../directory.ts';
import { type Column, type Columns, filterSql } from '../filter/filter-sql-store.ts';
import type { Filter } from '../filter/parse-filter.ts';
import type { Page } from '../page.ts';
import { MAX_MEMBERS } from './group-attributes.ts';
import type { StoredGroup } from './stored-group.ts';

export interface GroupMember {
  value: string;
  display: string;
}

/** Group with its members; undefined: they were not asked for. */
export interface ListedGroup extends StoredGroup {
  members: GroupMember[] | undefined;
}

const groupRows = z.array(
  z.object({
    id: z.string(),
    displayName: z.string(),
    externalId: z.string().nullable(),
    version: z.int(),
    createdAt: z.date(),
    updatedAt: z.date(),
    memberCount: z.int(),
  }),
);
const memberRows = z.array(z.object({ groupId: z.string(), value: z.string(), display: z.string() }));
const countRows = z.tuple([z.object({ count: z.int() })]);

const GROUP_COLUMNS = Prisma.sql`
  g.id, g.display_name AS "displayName", g.external_id AS "externalId", g.version, g.created_at AS "createdAt",
  g.updated_at AS "updatedAt",
  (SELECT count(*)::int FROM scim_group_members gm WHERE gm.group_id = g.id) AS "memberCount"`;

/** Attributes by which groups can be filtered. */
const COLUMNS: Columns = new Map<string, Column>([
  ['id', { type: 'text', sql: Prisma.sql`g.id` }],
  ['displayname', { type: 'text', sql: Prisma.sql`g.display_name_key`, ignoresCase: true }],
  ['externalid', { type: 'text', sql: Prisma.sql`g.external_id` }],
  ['meta.created', { type: 'time', sql: Prisma.sql`g.created_at` }],
  ['meta.lastmodified', { type: 'time', sql: Prisma.sql`g.updated_at` }],
  [
    'members',
    {
      type: 'values',
      columns: new Map([['value', { type: 'text', sql: Prisma.sql`gm.user_id` }]]),
      exists: (condition) =>
        Prisma.sql`EXISTS (SELECT FROM scim_group_members gm WHERE gm.group_id = g.id AND ${condition})`,
    },
  ],
]);

/** Lists groups in the database, by filter and page. */
export class ScimGroupListStore extends ReadingStore {
  async find(
    { key }: Directory,
    id: string,
    withMembers: boolean,
    signal: AbortSignal,
  ): Promise<ListedGroup | undefined> {
    const rows = await this.query(groupRows, signal)`
      SELECT ${GROUP_COLUMNS} FROM scim_groups g WHERE g.id = ${id} AND g.directory = ${key}`;
    const [group] = await this.#withMembers(rows, withMembers, signal);
    return group;
  }

  /**
   * Lists groups, oldest first. With members, a page ends before it has too many of them.
   * @throws ScimError 400 invalidFilter
   */
  async list(
    { key }: Directory,
    { filter, page, withMembers }: { filter: Filter | undefined; page: Page; withMembers: boolean },
    signal: AbortSignal,
  ): Promise<{ total: number; groups: ListedGroup[] }> {
    const condition = filter === undefined ? Prisma.sql`true` : filterSql(filter, COLUMNS);
    const which = Prisma.sql`g.directory = ${key} AND ${condition}`;
    const [{ count: total }] = await this.query(countRows, signal)`
      SELECT count(*)::int AS count FROM scim_groups g WHERE ${which}`;
    if (page.count === 0 || page.offset >= total) return { total, groups: [] };
    const rows = await this.query(groupRows, signal)`
      SELECT ${GROUP_COLUMNS} FROM scim_groups g WHERE ${which}
      ORDER BY g.created_at, g.id LIMIT ${page.count} OFFSET ${page.offset}`;
    const listed = withMembers ? rows.slice(0, countThatFits(rows)) : rows;
    return { total, groups: await this.#withMembers(listed, withMembers, signal) };
  }

  async #withMembers(
    rows: z.infer<typeof groupRows>,
    withMembers: boolean,
    signal: AbortSignal,
  ): Promise<ListedGroup[]> {
    if (!withMembers) return rows.map((group) => ({ ...group, members: undefined }));
    const ids = rows.map(({ id }) => id);
    const found = await this.query(memberRows, signal)`
      SELECT gm.group_id AS "groupId", u.id AS value, u.user_name AS display
      FROM scim_group_members gm JOIN scim_users u ON u.id = gm.user_id
      WHERE gm.group_id = ANY(${ids}) ORDER BY u.created_at, u.id`;
    const members = Map.groupBy(found, ({ groupId }) => groupId);
    return rows.map((group) => ({
      ...group,
      members: (members.get(group.id) ?? []).map(({ display, value }) => ({ value, display })),
    }));
  }
}

/** Returns how many groups have at most MAX_MEMBERS members together, at least one. */
function countThatFits(rows: z.infer<typeof groupRows>): number {
  let members = 0;
  const tooMany = rows.findIndex(({ memberCount }) => {
    members += memberCount;
    return members > MAX_MEMBERS;
  });
  return tooMany === -1 ? rows.length : Math.max(1, tooMany);
}
