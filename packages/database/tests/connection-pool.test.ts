import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { ConnectionPool } from '../src/connection-pool.ts';
import { readConnectionLimits } from '../src/index.ts';

/** Superusers have no connection limit. */
const role = `gateway_few_${randomBytes(8).toString('hex')}`;
const LIMIT = 3;
const { adminUrl } = inject('postgres');
const limitedUrl = (() => {
  const url = new URL(adminUrl);
  [url.username, url.password] = [role, 'few'];
  return url.href;
})();

async function asAdmin(sql: string): Promise<void> {
  const client = new Client({ connectionString: adminUrl });
  await client.connect();
  await client.query(sql).finally(() => client.end());
}

beforeAll(() => asAdmin(`CREATE ROLE ${role} LOGIN PASSWORD 'few' CONNECTION LIMIT ${LIMIT}`));
afterAll(() => asAdmin(`DROP ROLE ${role}`));

function pool() {
  return new ConnectionPool({ connectionString: limitedUrl, max: 10, connectionTimeoutMillis: 20_000 });
}

/** Busy while others ask for a connection. */
function query(from: ConnectionPool, index: number) {
  return from.query<{ index: number }>('SELECT $1::int AS index, pg_sleep(0.02)', [index]);
}

it('a pool larger than the connection limit answers every query with the connections it gets, in both forms of pg', async () => {
  const few = pool();
  try {
    const answers = await Promise.all(Array.from({ length: 40 }, (_, index) => query(few, index)));
    expect(answers.map(({ rows }) => rows[0]?.index)).toEqual(answers.map((_, index) => index));
    expect(few.totalCount).toBeLessThanOrEqual(LIMIT);
    const { promise, resolve } = Promise.withResolvers<unknown>();
    few.query('SELECT 7 AS seven', (error: Error | null, result?: { rows: unknown[] }) =>
      resolve(error ?? result?.rows),
    );
    expect(await promise).toEqual([{ seven: 7 }]);
  } finally {
    await few.end();
  }
});

it('a pool without any connection reports at once that Postgres has none left', async () => {
  const [holding, starved] = [pool(), pool()];
  try {
    const held = await Promise.all(Array.from({ length: LIMIT }, () => holding.connect()));
    await expect(starved.query('SELECT 1')).rejects.toMatchObject({ code: '53300' });
    for (const client of held) client.release(true);
  } finally {
    await Promise.all([holding.end(), starved.end()]);
  }
});

it('connection limits include that of the role', async () => {
  const limits = await readConnectionLimits(limitedUrl);
  expect(limits).toEqual({ allowed: LIMIT, setBy: 'CONNECTION LIMIT of the role' });
  expect((await readConnectionLimits(adminUrl)).setBy).toBe('max_connections');
});
