import { Prisma } from '@model-gateway/database';

/**
 * Matches an account that SCIM has stopped and in which nobody else is a member.
 * @param table name or alias of the account's row
 */
export function isStoppedWithoutMembers(table: string): Prisma.Sql {
  const account = Prisma.raw(table);
  return Prisma.sql`(${account}.stopped_by IS NOT NULL AND NOT EXISTS (
    SELECT FROM account_members m
    WHERE m.account_id = ${account}.id AND m.token_hash IS NULL AND m.stopped_at IS NULL
  ))`;
}
