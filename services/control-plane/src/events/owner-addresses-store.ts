import { Prisma } from '@model-gateway/database';

/**
 * SQL expression: the addresses of the owners of account `a` as a text[]. Only proven ones, so that nobody
 * gets mail because a stranger has named an address.
 */
export function ownerAddresses(): Prisma.Sql {
  return Prisma.sql`ARRAY(
    SELECT a.email WHERE a.email_verified_at IS NOT NULL AND a.stopped_by IS NULL AND a.deleted_at IS NULL
    UNION
    SELECT m.email FROM account_members m
    WHERE m.account_id = a.id AND m.role = 'owner' AND m.sign_in_id IS NOT NULL AND m.token_hash IS NULL
      AND m.stopped_at IS NULL AND a.deleted_at IS NULL
  )`;
}
