import type { Sql } from '@model-gateway/test-kit/open-sql';
import { z } from 'zod';

/** Prefix of addresses of users who end sessions. Changes of others replace sessions without an event. */
export const ENDS_SESSIONS = 'ends-';
/** Prefix of addresses of users who sign out. */
export const SIGNS_OUT = 'leaves-';
/** Prefix of addresses of users who reset passwords. Other users get theirs with the sign-up. */
export const RESETS = 'resets-';

/** Table, operation, condition, action and id of the changed object, as SQL. */
const OBSERVED = [
  ['passkeys', 'INSERT', 'true', 'passkey.added', 'NEW.id'],
  ['passkeys', 'DELETE', 'true', 'passkey.removed', 'OLD.id'],
  ['credentials', 'UPDATE', 'OLD.password <> NEW.password', 'password.changed', `''`],
  ['credentials', 'INSERT', `v_email LIKE '${RESETS}%'`, 'password.reset', `''`],
  [
    'two_factors',
    'UPDATE',
    'OLD.verified AND NEW.verified AND OLD.backup_codes <> NEW.backup_codes',
    'backup_codes.renewed',
    `''`,
  ],
  ['sessions', 'DELETE', `v_email LIKE '${ENDS_SESSIONS}%'`, 'session.ended', 'OLD.id'],
  ['sessions', 'DELETE', `v_email LIKE '${SIGNS_OUT}%'`, 'logout.succeeded', `''`],
  ['users', 'UPDATE', 'NEW.two_factor_enabled AND NOT OLD.two_factor_enabled', 'totp.added', `''`],
  ['users', 'UPDATE', 'OLD.two_factor_enabled AND NOT NEW.two_factor_enabled', 'totp.removed', `''`],
] as const;

/** Actions of all observed changes. */
export const ACTIONS = OBSERVED.map(([, , , action]) => action).toSorted();

const counted = z.array(z.object({ change: z.string(), count: z.number() }));

/** Adds triggers that note each change of a sign-in, independently of what the dashboard records. */
export async function observeSignIns(sql: Sql): Promise<void> {
  await sql.run('CREATE TABLE observed_changes (action text, email text, object_id text)');
  for (const [index, [table, operation, condition, action, id]] of OBSERVED.entries()) {
    const row = operation === 'DELETE' ? 'OLD' : 'NEW';
    const userId = table === 'users' ? `${row}.id` : `${row}.user_id`;
    await sql.run(`
      CREATE FUNCTION observe_${index}() RETURNS trigger LANGUAGE plpgsql AS $$
      DECLARE
        v_email text := (SELECT email FROM dashboard_users WHERE id = ${userId});
      BEGIN
        IF ${condition} THEN
          INSERT INTO observed_changes VALUES ('${action}', v_email, ${id});
        END IF;
        RETURN NULL;
      END $$`);
    await sql.run(
      `CREATE TRIGGER observe_${index} AFTER ${operation} ON dashboard_${table}
      FOR EACH ROW EXECUTE FUNCTION observe_${index}()`,
    );
  }
}

export async function countChanges(sql: Sql): Promise<Map<string, number>> {
  return await countRows(
    sql,
    `SELECT concat_ws(' ', action, email, object_id) AS change FROM observed_changes`,
  );
}

/** Counts the events of changes, in the form of countChanges. */
export async function countEvents(sql: Sql): Promise<Map<string, number>> {
  return await countRows(
    sql,
    `SELECT concat_ws(' ', action, actor->>'email',
      CASE WHEN object_type = 'sign_in' THEN '' ELSE object_id END) AS change
    FROM audit_events WHERE action = ANY($1) AND outcome = 'done' AND request_id <> '' AND actor->>'ip' <> ''`,
    ACTIONS,
  );
}

async function countRows(sql: Sql, query: string, ...values: unknown[]): Promise<Map<string, number>> {
  const rows = await sql.rows(
    `SELECT change, count(*)::int AS count FROM (${query}) AS changes GROUP BY change`,
    ...values,
  );
  return new Map(counted.parse(rows).map(({ change, count }) => [change, count]));
}

/** Counts the changes that wait for their event. */
export async function countWaiting(sql: Sql): Promise<number> {
  const rows = await sql.rows(
    `SELECT 'waiting' AS change, count(*)::int AS count FROM dashboard_sign_in_changes`,
  );
  return counted.parse(rows)[0]?.count ?? 0;
}
