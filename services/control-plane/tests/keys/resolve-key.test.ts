import { GrpcStatus } from '@model-gateway/contracts';
import { pepperFingerprint } from '@model-gateway/shared';
import { until } from '@model-gateway/test-kit';
import { startTcpProxy, type TcpProxy } from '@model-gateway/test-kit/tcp-proxy';
import { TEST_SECRETS } from '@model-gateway/test-kit/test-secrets';
import { expect, inject } from 'vitest';
import { resolveStatement } from '../../src/keys/key-store.ts';
import { holdLock, refusalOf } from '../fixtures/administration-fixture.ts';
import {
  at,
  type ControlPlanes,
  it,
  startControlPlanes,
  unknownHash,
} from '../fixtures/control-planes-fixture.ts';

function resolve({ callers }: ControlPlanes, lookupHash: string, deadlineMs = 15_000) {
  return at(callers, 0).call(deadlineMs, 'keys', 'resolveKey', { lookupHash });
}

/** Starts a control plane whose connection to the database can be broken. */
async function startBreakable(): Promise<{ control: ControlPlanes; proxy: TcpProxy } & AsyncDisposable> {
  await using stack = new AsyncDisposableStack();
  const { hostname, port } = new URL(inject('postgres').adminUrl);
  const proxy = stack.use(await startTcpProxy(Number(port || 5432), hostname));
  const reachedAt = (databaseUrl: string) => {
    const url = new URL(databaseUrl);
    url.host = `127.0.0.1:${proxy.port}`;
    return url.href;
  };
  const control = stack.use(await startControlPlanes({ reachedAt }));
  const owned = stack.move();
  return { control, proxy, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

it('a look-up of an active key returns its account, limits and revision', async ({ control }) => {
  const key = await control.createKey();
  const answer = await resolve(control, key.lookupHash);
  expect(answer).toMatchObject({
    revision: '0',
    key: { keyId: key.id, accountId: 'acct_test' },
  });
  expect(Object.values(answer.key?.limits ?? {}).every((limit) => limit > 0)).toBe(true);
  await control.query('UPDATE accounts SET free_per_minute = 0, concurrent_streams = 7');
  const limited = await resolve(control, key.lookupHash);
  expect(limited.key?.limits).toMatchObject({ freePerMinute: 0, concurrentStreams: 7 });
});

it('a look-up finds a key by its previous hash after its new pepper was abandoned', async ({ control }) => {
  const { id, lookupHash: third } = await control.createKey();
  const [first, abandoned] = [unknownHash(), unknownHash()];
  const store = (lookupHash: string, previousLookupHash: string) =>
    control.sql`
      UPDATE api_keys SET lookup_hash = ${lookupHash}, previous_lookup_hash = ${previousLookupHash}, pepper_fingerprint = ${'abandoned'} WHERE id = ${id}`;
  const ask = {
    lookupHash: third,
    previousLookupHash: first,
    pepperFingerprint: pepperFingerprint(TEST_SECRETS.API_KEY_LOOKUP_PEPPER),
  };
  const look = async () => (await at(control.callers, 0).call(15_000, 'keys', 'resolveKey', ask)).key?.keyId;
  await store(abandoned, first);
  expect((await resolve(control, first)).key?.keyId).toBe(id);
  expect(await look()).toBe(id);
  expect(await control.query('SELECT lookup_hash, previous_lookup_hash FROM api_keys')).toEqual([
    { lookup_hash: third, previous_lookup_hash: first },
  ]);
  // Stays revoked under each of its hashes.
  await store(abandoned, first);
  await control.revokeKey(id);
  expect(await look()).toBeUndefined();
  for (const hash of [first, abandoned]) expect((await resolve(control, hash)).key).toBeNull();
});

it('a look-up of an unknown or revoked hash returns no key, whatever the hash', async ({ control }) => {
  const key = await control.createKey();
  await control.revokeKey(key.id);
  expect(await resolve(control, key.lookupHash)).toEqual({ revision: '1', key: null });
  for (const hash of [unknownHash(), '', `' OR true --`, 'v2:%', key.lookupHash.toUpperCase()])
    expect(await resolve(control, hash)).toEqual({ revision: '1', key: null });
});

it('a look-up reads the unique index of the hashes', async ({ control }) => {
  await control.sql`INSERT INTO api_keys (id, account_id, name, lookup_hash, display_prefix)
     SELECT 'key_' || n, 'acct_test', 'n', 'v2:' || encode(sha256(n::text::bytea), 'hex'), 'p'
     FROM generate_series(1, 5000) AS n`;
  await control.query('ANALYZE');
  const { text, values } = resolveStatement([unknownHash(), unknownHash()]);
  // Postgres uses the first mode for five runs, then maybe the second.
  for (const mode of ['force_custom_plan', 'force_generic_plan']) {
    await control.query(`SET plan_cache_mode = ${mode}`);
    const plan = JSON.stringify(await control.query(`EXPLAIN (FORMAT JSON) ${text}`, values));
    expect(plan).toContain('api_keys_lookup_hash_key');
    expect(plan).not.toMatch(/"Node Type":"Seq Scan"[^{}]*"Relation Name":"api_keys"/);
  }
});

it('a look-up without the database is UNAVAILABLE for known and unknown keys alike, and works again afterwards', async () => {
  await using broken = await startBreakable();
  const { control, proxy } = broken;
  const key = await control.createKey();
  expect((await resolve(control, key.lookupHash)).key?.keyId).toBe(key.id);
  proxy.cut();
  for (let round = 0; round < 20; round++) {
    const hashes = [key.lookupHash, unknownHash()];
    const failures = await Promise.all(hashes.map((hash) => refusalOf(resolve(control, hash))));
    expect(failures).toEqual([GrpcStatus.UNAVAILABLE, GrpcStatus.UNAVAILABLE]);
  }
  proxy.restore();
  expect((await resolve(control, key.lookupHash)).key?.keyId).toBe(key.id);
  expect((await resolve(control, unknownHash())).key).toBeNull();
});

it('a database outage leaves the control plane ready afterwards, even without data planes', async () => {
  await using broken = await startBreakable();
  const { control, proxy } = broken;
  const ready = async () => {
    const port = at(control.planes, 0).internalPort;
    return (await fetch(`http://127.0.0.1:${port}/health/ready`)).status === 200;
  };
  const watch = await control.dataPlane(0);
  await until(ready);
  proxy.cut();
  await until(async () => !(await ready()));
  watch.end();
  proxy.restore();
  await until(ready);
});

it('a look-up in a hanging database fails instead of finding nothing, and works again afterwards', async () => {
  await using broken = await startBreakable();
  const { control, proxy } = broken;
  const key = await control.createKey();
  proxy.stall();
  const failed = await refusalOf(resolve(control, key.lookupHash, 1_000));
  expect(failed).toBe(GrpcStatus.DEADLINE_EXCEEDED);
  proxy.restore();
  expect((await resolve(control, key.lookupHash)).key?.keyId).toBe(key.id);
});

it('a look-up is UNAVAILABLE when the server ends the connection during the query', async ({ control }) => {
  const key = await control.createKey();
  const lock = await holdLock(control, 'LOCK TABLE api_keys IN ACCESS EXCLUSIVE MODE');
  const failed = refusalOf(resolve(control, key.lookupHash));
  await until(async () => {
    const ended = await control.sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    return ended.length > 0;
  });
  expect(await failed).toBe(GrpcStatus.UNAVAILABLE);
  await lock[Symbol.asyncDispose]();
  expect((await resolve(control, key.lookupHash)).key?.keyId).toBe(key.id);
});

it('a look-up is UNAVAILABLE while the server takes no connections', async ({ control }) => {
  const key = await control.createKey();
  await control.allowConnections(false);
  try {
    await control.sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND pid <> pg_backend_pid()`;
    for (let round = 0; round < 5; round++)
      expect(await refusalOf(resolve(control, key.lookupHash))).toBe(GrpcStatus.UNAVAILABLE);
  } finally {
    await control.allowConnections(true);
  }
  expect((await resolve(control, key.lookupHash)).key?.keyId).toBe(key.id);
});

it('a look-up combines the rules of all levels, and the lowest limit wins', async ({ control }) => {
  const key = await control.createKey();
  const timezone = 'Europe/Berlin';
  await control.sql`UPDATE accounts SET timezone = ${timezone}, end_users_version = 3`;
  await control.sql`UPDATE api_keys SET tags = ${'{"project":"alpha"}'}::jsonb WHERE id = ${key.id}`;
  const store = (owner: string, rules: object) =>
    control.sql`INSERT INTO rules (owner, rules) VALUES (${owner}, ${JSON.stringify(rules)}::jsonb)`;
  await store(`key:${key.id}`, {
    models: ['acme/*'],
    tokens_per_minute: 500,
    streams: 2,
    expires_at: 4_000_000_000,
  });
  await store('account:acct_test', {
    models: ['*/large'],
    networks: ['10.0.0.0/8'],
    tokens_per_minute: 900,
    streams: 5,
    require_tags: ['project'],
  });
  await store('end_users:acct_test', { models: ['acme/small'] });
  await control.sql`INSERT INTO budgets (id, owner, position, "limit", "window")
     VALUES ('bud_1', ${`key:${key.id}`}, 0, 25, 'month'), ('bud_2', 'end_users:acct_test', 0, 1, 'day')`;
  const { key: found } = await resolve(control, key.lookupHash);
  expect(found).toMatchObject({
    expiresAtMs: '4000000000000',
    limits: { concurrentStreams: 2 },
    tags: { project: 'alpha' },
    rules: {
      networks: [{ entries: ['10.0.0.0/8'] }],
      providers: [],
      tokensPerMinute: '500',
      requireTags: ['project'],
      requireEndUser: false,
      budgets: [{ id: 'bud_1', scope: 'key', window: 'month', warns: false, timezone, weekStarts: 'monday' }],
    },
    endUsers: {
      version: 3,
      template: {
        models: [{ entries: ['acme/small'] }],
        budgets: [{ id: 'bud_2', scope: 'end_user', window: 'day', warns: false, timezone }],
      },
    },
  });
  const lists = found?.rules?.models.map(({ entries }) => entries.join()).toSorted();
  expect(lists).toEqual(['*/large', 'acme/*']);
});
