import { adminKeyToken, displayPrefix } from '@model-gateway/shared';
import { SCOPES } from '@model-gateway/shared/access';
import { spawnService } from '@model-gateway/test-kit';
import { openSql } from '@model-gateway/test-kit/open-sql';
import { createTestDatabase } from '@model-gateway/test-kit/test-database';
import { TEST_SECRETS } from '@model-gateway/test-kit/test-secrets';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { adminKeyHashes } from '../../src/admin-keys/admin-key-hash.ts';

/** Ends the process as kill -9 does, after the commit and before the first byte of the answer. */
const KILL = `
  import { ServerResponse } from 'node:http';
  const { writeHead } = ServerResponse.prototype;
  ServerResponse.prototype.writeHead = function (...head) {
    if (this.req.headers['x-kill'] !== undefined) process.kill(process.pid, 'SIGKILL');
    return writeHead.apply(this, head);
  };
`;
const KILLER = `data:text/javascript,${encodeURIComponent(KILL)}`;

it.each([
  ['/admin/v1/accounts', { email: 'killed@example.com' }, 'accounts', undefined],
  ['/admin/v1/keys', { account_id: 'acct_1', name: 'killed', rules: { streams: 2 } }, 'api_keys', 'key'],
  ['/admin/v1/admin_keys', { name: 'killed', scopes: ['keys:read'] }, 'admin_keys', 'key'],
])(
  'POST %s is repeated after a kill -9 between change and answer: one object, and its secret',
  async (path, body, table, secret) => {
    await using database = await createTestDatabase();
    await using sql = openSql(database.url);
    const key = adminKeyToken.generate();
    const { lookupHash } = adminKeyHashes(
      { pepper: TEST_SECRETS.API_KEY_LOOKUP_PEPPER, oldPepper: undefined },
      key,
    );
    await sql.run(`INSERT INTO accounts (id, email, name) VALUES ('acct_1', 'one@example.com', 'One')`);
    await sql.run(
      `INSERT INTO admin_keys (id, name, lookup_hash, display_prefix, scopes) VALUES ('adm_1', 'a', $1, $2, $3)`,
      lookupHash,
      displayPrefix(key),
      [...SCOPES],
    );
    const count = async () => (await sql.rows(`SELECT id FROM ${table}`)).length;
    const before = await count();
    const post = (port: number, headers: object = {}) =>
      fetch(`http://127.0.0.1:${port}${path}`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${key}`,
          'content-type': 'application/json',
          'idempotency-key': 'killed',
          ...headers,
        },
        body: JSON.stringify(body),
      });
    const environment = { DATABASE_URL: database.url };
    await using killed = await spawnService('control-plane', environment, [KILLER]);
    await expect(post(killed.adminPort, { 'x-kill': 'yes' })).rejects.toThrow();
    expect((await killed.exit)[1]).toBe('SIGKILL');
    expect(await count()).toBe(before + 1);

    await using other = await spawnService('control-plane', environment);
    const answers = await Promise.all([1, 2, 3].map(() => post(other.adminPort)));
    const bodies = await Promise.all(answers.map((answer) => answer.json()));
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(answers.map(({ headers }) => headers.get('idempotency-replayed'))).toEqual([
      'true',
      'true',
      'true',
    ]);
    expect(bodies[1]).toEqual(bodies[0]);
    expect(await count()).toBe(before + 1);
    const made = z.looseObject({ id: z.string() }).parse(bodies[0]);
    const read = await fetch(`http://127.0.0.1:${other.adminPort}${path}/${made.id}`, {
      headers: { authorization: `Bearer ${key}` },
    });
    expect(read.status).toBe(200);
    const { [secret ?? '']: raw, ...shown } = made;
    expect(await read.json()).toEqual(shown);
    expect(read.headers.get('etag')).toBe(answers[0]?.headers.get('etag'));
    if (secret !== undefined) expect(raw).toMatch(/^gw_(live|admin)_/);
    const events = await sql.rows('SELECT action FROM audit_events WHERE object_id = $1', made.id);
    expect(events.length).toBeGreaterThan(0);
  },
);
