import { settleRows, usageRow } from '@model-gateway/test-kit/usage-row';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { searchStatement } from '../../src/search/search-store.ts';
import { useControlPlanes } from '../fixtures/control-planes-fixture.ts';
import { manage, refusal } from '../fixtures/management-fixture.ts';
import { planOf } from '../fixtures/query-plan-fixture.ts';

const control = useControlPlanes();
const api = manage(control);
const RAW_KEY = `gw_live_Zq9${'x'.repeat(46)}`;
let requestId = '';

const account = { id: 'acct_find', name: 'Find 100% Ünicode GmbH', email: 'ada@find.example.com' };

beforeAll(async () => {
  await control.sql`
    INSERT INTO accounts (id, email, name, external_id) VALUES
      (${account.id}, ${account.email}, ${account.name}, 'crm-17'),
      ('acct_deleted', 'deleted@find.example.com', 'Find deleted', 'crm-18')`;
  await control.sql`UPDATE accounts SET deleted_at = now() WHERE id = 'acct_deleted'`;
  await control.sql`
    INSERT INTO teams (id, owner_account_id, name, requests_per_minute, external_id)
    VALUES ('team_find', ${account.id}, 'Search Quality', 10, 'hr-1')`;
  await control.sql`
    INSERT INTO seats (id, team_id, account_id, external_id)
    VALUES ('seat_find', 'team_find', ${account.id}, 'desk-1')`;
  await control.sql`
    INSERT INTO api_keys (id, account_id, name, lookup_hash, display_prefix, external_id, kind, expires_at) VALUES
      ('key_find', ${account.id}, 'Nightly job', ${`v2:${'a'.repeat(64)}`}, ${RAW_KEY.slice(0, 16)}, 'vault-1', 'issued', NULL),
      ('key_hidden', ${account.id}, 'Nightly playground', ${`v2:${'b'.repeat(64)}`}, 'gw_live_Zq9yyyyy', NULL, 'playground',
        now() + interval '1 hour')`;
  await control.sql`INSERT INTO end_users (account_id, id, external_id) VALUES (${account.id}, 'Customer-42', 'shop-42')`;
  await control.sql`
    INSERT INTO account_members (id, account_id, email, name, role, source)
    VALUES ('mem_find', ${account.id}, 'grace@find.example.com', 'Grace Hopper', 'viewer', 'operator')`;
  const row = usageRow({ accountId: account.id, keyId: 'key_find', endUser: 'only-in-requests' });
  requestId = row.requestId;
  await settleRows((sql, values) => control.query(sql, values), [row]);
});

const response = z.object({
  data: z.array(
    z.object({
      kind: z.string(),
      id: z.string(),
      label: z.string(),
      account: z.object({ id: z.string(), name: z.string(), email: z.string() }),
    }),
  ),
});

async function search(q: string) {
  const { body } = await api.get(`/admin/v1/search?q=${encodeURIComponent(q)}`);
  return response.parse(body).data;
}

const found = async (q: string) => (await search(q)).map(({ kind, id }) => `${kind} ${id}`);

describe('a search of the installation', () => {
  it.each([
    ['acct_find', ['account acct_find']],
    ['crm-17', ['account acct_find']],
    ['find 100%', ['account acct_find']],
    ['find 100% Ü', ['account acct_find']],
    ['ADA@find.example.com', ['account acct_find', 'seat seat_find']],
    ['ada@fi', ['account acct_find']],
    ['team_find', ['team team_find']],
    ['hr-1', ['team team_find']],
    ['search q', ['team team_find']],
    ['seat_find', ['seat seat_find']],
    ['desk-1', ['seat seat_find']],
    ['key_find', ['key key_find']],
    ['vault-1', ['key key_find']],
    ['nightly', ['key key_find']],
    ['gw_live_Zq9', ['key key_find']],
    ['customer-4', ['end_user Customer-42']],
    ['shop-42', ['end_user Customer-42']],
    ['mem_find', ['member mem_find']],
    ['grace@', ['member mem_find']],
    ['grace h', ['member mem_find']],
    ['%', []],
    ['find d', []],
    ['crm-18', []],
  ])('finds by %j: %j', async (q, objects) => {
    expect(await found(q)).toEqual(objects);
  });

  it('names the account of each object', async () => {
    expect(await search('team_find')).toEqual([
      expect.objectContaining({ kind: 'team', id: 'team_find', label: 'Search Quality', account }),
    ]);
  });

  it('finds a request by its id', async () => {
    expect(await search(requestId)).toMatchObject([{ kind: 'request', id: requestId, account }]);
  });

  it('finds a key by a whole raw key, of which only the prefix is looked up', async () => {
    expect(await found(RAW_KEY)).toEqual(['key key_find']);
  });

  it('returns at most 20 objects, whole ids and addresses first', async () => {
    await control.sql`
      INSERT INTO accounts (id, email, name)
      SELECT 'acct_many_' || n, 'many' || n || '@example.com', 'Many' FROM generate_series(1, 50) AS n`;
    expect((await found('many')).length).toBeLessThanOrEqual(20);
    const exact = await found('many7@example.com');
    expect(exact[0]).toBe('account acct_many_7');
  });

  it('reads an index of each large table, whatever it is asked for', async () => {
    await control.sql`
      INSERT INTO accounts (id, email, name)
      SELECT 'acct_bulk_' || n, 'bulk' || n || '@example.com', 'Bulk ' || n FROM generate_series(1, 5000) AS n`;
    await control.sql`
      INSERT INTO api_keys (id, account_id, name, lookup_hash, display_prefix)
      SELECT 'key_bulk_' || n, 'acct_bulk_' || (n % 5000 + 1), 'default',
        'v2:' || encode(sha256(n::text::bytea), 'hex'), 'gw_live_' || substr(md5(n::text), 1, 8)
      FROM generate_series(1, 20000) AS n`;
    await control.sql`ANALYZE accounts, api_keys`;
    for (const text of ['nobody', 'default', 'bulk12', 'gw_live_ab', '100%']) {
      const read = (await planOf(control, searchStatement(text))).map(
        (node) => node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0),
      );
      expect(Math.max(...read)).toBeLessThan(200);
    }
  });

  it('is refused to a key of one account and without accounts:read', async () => {
    const bound = await api.insertKey({ accountId: account.id });
    const without = await api.insertKey({ scopes: ['keys:read'] });
    for (const { key } of [bound, without])
      expect(refusal(await api.get('/admin/v1/search?q=find', { key }))).toMatchObject({ status: 403 });
  });
});

describe('the list of accounts', () => {
  const list = async (query: string) => {
    const { body } = await api.get(`/admin/v1/accounts?${query}`);
    return z
      .object({ data: z.array(z.object({ id: z.string() })) })
      .parse(body)
      .data.map(({ id }) => id);
  };

  it('is filtered by the beginning of a name or address and by suspension', async () => {
    expect(await list('search=FIND')).toEqual(['acct_find']);
    expect(await list('search=ada%40find')).toEqual(['acct_find']);
    expect(await list('search=find&suspended=true')).toEqual([]);
    await control.sql`UPDATE accounts SET suspended_at = now() WHERE id = 'acct_find'`;
    expect(await list('suspended=true')).toEqual(['acct_find']);
    expect(await list('search=find&suspended=false')).toEqual([]);
    await control.sql`UPDATE accounts SET suspended_at = NULL WHERE id = 'acct_find'`;
  });
});

it('each look at an account is in its audit log, and changes nothing', async () => {
  const viewed = await api.post('/admin/v1/accounts/acct_find/view', {});
  expect(viewed).toMatchObject({ status: 200, body: { id: 'acct_find' } });
  await api.post('/admin/v1/accounts/acct_find/view', {});
  const events = await control.sql`
    SELECT object_id AS id, before, after FROM audit_events WHERE action = 'account.viewed'`;
  expect(events).toEqual(Array.from({ length: 2 }, () => ({ id: 'acct_find', before: null, after: null })));
});
