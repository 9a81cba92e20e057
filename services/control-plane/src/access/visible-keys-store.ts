import { Prisma } from '@model-gateway/database';
import type { Visibility } from './visibility.ts';

/** Matches api_keys made by the member; all if it is undefined. @param table name or alias */
export function isMadeBy(table: string, { memberId }: Pick<Visibility, 'memberId'>): Prisma.Sql {
  return memberId === undefined ? Prisma.sql`true` : Prisma.sql`${Prisma.raw(table)}.member_id = ${memberId}`;
}

/** Matches usage and requests of keys made by the member, by `key_id`; all if it is undefined. */
export function usedKeyMadeBy({ memberId }: Pick<Visibility, 'memberId'>): Prisma.Sql {
  return memberId === undefined
    ? Prisma.sql`true`
    : Prisma.sql`key_id = ANY(ARRAY(SELECT made.id FROM api_keys made WHERE made.member_id = ${memberId}))`;
}
