import { Prisma } from '@model-gateway/database';

/** Selects the ids of the teams that an account owns. */
export function teamsOf(accountId: string): Prisma.Sql {
  return Prisma.sql`SELECT t.id FROM teams t WHERE t.owner_account_id = ${accountId}`;
}

/** Matches api_keys of the account and on the seats of its teams. */
export function keysOfAccountAndTeams(accountId: string): Prisma.Sql {
  return Prisma.sql`(
    account_id = ${accountId} OR seat_id IN (
      SELECT s.id FROM seats s WHERE s.team_id IN (${teamsOf(accountId)})
    )
  )`;
}
