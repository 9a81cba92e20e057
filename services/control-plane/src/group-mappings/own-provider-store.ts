import { Prisma } from '@model-gateway/database';

/**
 * Tells whether the identity provider of one account has a user with an address. Another one then leaves its
 * place in this account alone.
 * @param account column of the account's id
 * @param email column of the address
 */
export function isProvisionedBy(account: string, email: string): Prisma.Sql {
  return Prisma.sql`EXISTS (
    SELECT FROM scim_users p WHERE p.scope = ${Prisma.raw(account)} AND p.email = ${Prisma.raw(email)}
  )`;
}
