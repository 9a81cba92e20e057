import { Prisma } from '@model-gateway/database';
import { endUserOwner } from '@model-gateway/shared/rules';
import { z } from 'zod';
import { PrismaStore } from '../database/prisma-store.ts';
import { calendarColumns, type StoredRules, storedRules } from './resolved-rules.ts';
import { rulesColumns } from './rules-columns-store.ts';

const endUserRow = storedRules.extend({ ...calendarColumns.shape, version: z.int() });
export type EndUserRow = z.infer<typeof endUserRow> & StoredRules;

export class EndUserRulesStore extends PrismaStore {
  /** Lists end users with own rules, by name. */
  async namesOf(accountId: string, limit: number): Promise<string[]> {
    const prefix = endUserOwner(accountId, '');
    const rows = await this.prisma.$queryRaw`
      SELECT substr(owner, ${prefix.length + 1}) AS name FROM rules
      WHERE starts_with(owner, ${prefix}) ORDER BY owner LIMIT ${limit}`;
    return z
      .array(z.object({ name: z.string() }))
      .parse(rows)
      .map(({ name }) => name);
  }

  /** Reads the own rules of an end user. @returns undefined for an unknown account */
  async find(accountId: string, endUser: string): Promise<EndUserRow | undefined> {
    const owners = Prisma.sql`ARRAY[${endUserOwner(accountId, endUser)}]::text[]`;
    const rows = await this.prisma.$queryRaw`
      SELECT a.timezone, a.week_starts AS "weekStarts", a.end_users_version AS version, ${rulesColumns(owners)}
      FROM accounts a WHERE a.id = ${accountId}`;
    return z.array(endUserRow).parse(rows)[0];
  }
}
