import { settleRows, usageRow } from '@model-gateway/test-kit/usage-row';
import { beforeAll, describe, expect, it } from 'vitest';
import { insertAccount } from '../fixtures/administration-fixture.ts';
import { useControlPlanes } from '../fixtures/control-planes-fixture.ts';
import { type Answer, manage, refusal } from '../fixtures/management-fixture.ts';

const control = useControlPlanes();
const api = manage(control);
let other = '';
let boundKey = '';

beforeAll(async () => {
  other = await insertAccount(control, 'other');
  boundKey = (await api.insertKey({ accountId: 'acct_test' })).key;
});

const match = ({ headers }: Answer) => ({ headers: { 'if-match': headers.get('etag') ?? '' } });
const idOf = ({ body }: Answer) => String(body.id);

async function expectOwnOnly(path: string) {
  expect(refusal(await api.get(path, { key: boundKey }))).toMatchObject({ status: 404, code: 'not_found' });
}

describe('teams and seats', () => {
  it('are created, listed, changed and deleted, with audit events', async () => {
    const team = await api.post('/admin/v1/teams', { account_id: other, name: 'Red', external_id: 'crm-1' });
    expect(team).toMatchObject({
      status: 201,
      body: { object: 'team', account_id: other, external_id: 'crm-1' },
    });
    const path = `/admin/v1/teams/${idOf(team)}`;
    expect((await api.get(path)).headers.get('etag')).toBe(team.headers.get('etag'));
    await expectOwnOnly(path);
    const changed = await api.patch(path, { name: 'Blue', requests_per_minute: 50 }, match(team));
    expect(changed).toMatchObject({ status: 200, body: { name: 'Blue', requests_per_minute: 50 } });
    expect(refusal(await api.patch(path, { name: 'Late' }, match(team)))).toMatchObject({ status: 412 });
    expect(refusal(await api.patch(path, { name: 'None' }))).toMatchObject({ status: 428 });
    expect((await api.get('/admin/v1/teams?external_id=crm-1')).body.data).toEqual([changed.body]);
    expect((await api.get('/admin/v1/teams', { key: boundKey })).body.data).toEqual([]);
    const again = await api.post('/admin/v1/teams', { account_id: other, name: 'X', external_id: 'crm-1' });
    expect(refusal(again)).toMatchObject({ status: 409, code: 'already_exists' });

    const seat = await api.post('/admin/v1/seats', { team_id: idOf(team), account_id: 'acct_test' });
    expect(seat).toMatchObject({ status: 201, body: { object: 'seat', account_id: 'acct_test' } });
    const seatPath = `/admin/v1/seats/${idOf(seat)}`;
    await expectOwnOnly(seatPath);
    const named = await api.patch(seatPath, { external_id: 'hr-9' }, match(seat));
    expect(named.body).toMatchObject({ external_id: 'hr-9' });
    expect((await api.get(`/admin/v1/seats?team_id=${idOf(team)}`)).body.data).toEqual([named.body]);
    const moved = await api.patch(seatPath, { account_id: other }, match(named));
    expect(moved).toMatchObject({ status: 200, body: { account_id: other } });
    expect((await api.delete(seatPath)).body).toEqual({ id: idOf(seat), object: 'seat', deleted: true });
    expect((await api.get(seatPath)).body.removed_at).not.toBeNull();
    expect((await api.delete(path)).body).toEqual({ id: idOf(team), object: 'team', deleted: true });
    expect((await api.get(`/admin/v1/teams?account_id=${other}`)).body.data).toEqual([]);
    const { body } = await api.get(`/admin/v1/audit_events?object_id=${idOf(team)}`);
    const events = body.data as { action: string; way: string; actor: { type: string } }[];
    expect(events.map(({ action }) => action)).toEqual(['team.deleted', 'team.updated', 'team.created']);
    expect(events[0]).toMatchObject({ way: 'api', actor: { type: 'admin_key' } });
  });
});

describe('pools', () => {
  it('are added for an account, team or seat, changed and removed', async () => {
    const pool = await api.post('/admin/v1/pools', { account_id: other, usd: '5.00' });
    expect(pool).toMatchObject({
      status: 201,
      body: { object: 'pool', owner: { kind: 'account', id: other }, usd: '5.000000000', name: '5.00 USD' },
    });
    const path = `/admin/v1/pools/${idOf(pool)}`;
    await expectOwnOnly(path);
    const renamed = await api.patch(path, { name: 'Research' }, match(pool));
    expect(renamed.body).toMatchObject({ name: 'Research', usd: '5.000000000' });
    const raised = await api.patch(path, { usd: '8' }, match(renamed));
    expect(raised.body).toMatchObject({ name: 'Research', remaining_usd: '8.000000000' });
    expect(refusal(await api.patch(path, { usd: '9' }, match(pool)))).toMatchObject({ status: 412 });
    const endless = await api.patch(path, { unlimited: true }, match(raised));
    expect(endless.body).toMatchObject({ unlimited: true, usd: null, remaining_usd: null });
    const team = await api.post('/admin/v1/teams', { account_id: other, name: 'Payers' });
    const ofTeam = await api.post('/admin/v1/pools', { team_id: idOf(team), usd: '1', resets: 'monthly' });
    expect((await api.get(`/admin/v1/pools?account_id=${other}`)).body.data).toEqual([
      ofTeam.body,
      endless.body,
    ]);
    expect((await api.get(`/admin/v1/pools?team_id=${idOf(team)}`)).body.data).toEqual([ofTeam.body]);
    expect((await api.delete(`/admin/v1/pools/${idOf(ofTeam)}`)).body).toMatchObject({
      taken_usd: '1.000000000',
    });
    for (const body of [
      { usd: '1' },
      { account_id: other },
      { account_id: other, team_id: idOf(team), usd: '1' },
    ])
      expect(refusal(await api.post('/admin/v1/pools', body))).toMatchObject({ status: 400 });
    expect((await api.post('/admin/v1/ledger/verify', {})).body).toMatchObject({
      agrees: true,
      disagreements: [],
    });
  });

  it('made by 20 equal requests with one Idempotency-Key are one', async () => {
    const headers = { 'idempotency-key': 'pool-1' };
    const send = () =>
      api.post('/admin/v1/pools', { account_id: other, usd: '2.00', name: 'Once' }, { headers });
    const answers = await Promise.all(Array.from({ length: 20 }, send));
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    const [row] = await control.sql`SELECT count(*)::int AS pools FROM pools WHERE name = 'Once'`;
    expect(row).toEqual({ pools: 1 });
  });
});

describe('members', () => {
  it('are added, invited, changed and removed', async () => {
    const path = `/admin/v1/accounts/${other}/members`;
    const ada = await api.post(path, { email: 'Ada@Example.com', role: 'developer' });
    expect(ada).toMatchObject({
      status: 201,
      body: { object: 'member', email: 'ada@example.com', status: 'added' },
    });
    const ben = await api.post(path, { email: 'ben@example.com', role: 'viewer', invite: true });
    expect(ben.body).toMatchObject({ status: 'invited', invitation_token: expect.any(String) });
    const admin = await api.patch(`${path}/${idOf(ada)}`, { role: 'admin' }, match(ada));
    expect(admin.body).toMatchObject({ role: 'admin' });
    expect((await api.get(path)).body.data).toMatchObject([
      { id: idOf(ben) },
      { id: idOf(ada), role: 'admin' },
    ]);
    await expectOwnOnly(path);
    expect((await api.delete(`${path}/${idOf(ben)}`)).body).toMatchObject({ deleted: true });
    expect(refusal(await api.get(`${path}/${idOf(ben)}`))).toMatchObject({ status: 404 });
  });
});

describe('end users', () => {
  it('are listed with what they have spent, and their data is deleted', async () => {
    const query = `?account_id=${other}`;
    await settleRows(control.query, [
      usageRow({ accountId: other, endUser: 'anna@example.com', inputTokens: 4 }),
      usageRow({ accountId: other, endUser: 'ben', inputTokens: 1 }),
    ]);
    await control.query('SELECT roll_up_settlements(100)');
    await api.put(`/admin/v1/rules/end_user/anna@example.com${query}`, { requests_per_minute: 5 });
    const path = `/admin/v1/end_users/${encodeURIComponent('anna@example.com')}${query}`;
    const anna = await api.get(path);
    expect(anna.body).toMatchObject({
      object: 'end_user',
      id: 'anna@example.com',
      has_rules: true,
      external_id: null,
    });
    const named = await api.patch(path, { external_id: 'crm-5' }, match(anna));
    expect(named).toMatchObject({ status: 200, body: { external_id: 'crm-5' } });
    const { body } = await api.get(`/admin/v1/end_users${query}&limit=1`);
    expect(body).toMatchObject({
      has_more: true,
      data: [{ id: 'anna@example.com', requests_this_month: 1 }],
    });
    const next = await api.get(`/admin/v1/end_users${query}&cursor=${body.next_cursor}`);
    expect(next.body).toMatchObject({
      has_more: false,
      data: [{ id: 'ben', spent_this_month_usd: '0.000000000' }],
    });
    expect((await api.get(`/admin/v1/end_users${query}&external_id=crm-5`)).body.data).toHaveLength(1);
    expect(refusal(await api.get('/admin/v1/end_users'))).toMatchObject({ status: 400 });
    expect(refusal(await api.get(path, { key: boundKey }))).toMatchObject({ status: 404 });

    expect((await api.delete(path)).body).toEqual({
      id: 'anna@example.com',
      object: 'end_user',
      deleted: true,
      requests: 1,
    });
    expect(refusal(await api.get(path))).toMatchObject({ status: 404 });
    expect((await api.post('/admin/v1/ledger/verify', {})).body).toMatchObject({ agrees: true });
    const usage = await api.get(`/admin/v1/usage${query}&group_by=end_user`);
    expect(usage.body).toMatchObject({
      totals: { requests: 2, input_tokens: 5 },
      data: [
        {
          results: [
            { end_user: null, input_tokens: 4 },
            { end_user: 'ben', input_tokens: 1 },
          ],
        },
      ],
    });
    expect(control.logText()).not.toContain('anna@example.com');
  });
});

const document = {
  providers: [
    {
      id: 'sim',
      name: 'Sim',
      kind: 'openai-compatible',
      base_url: 'https://sim.example.com/v1',
      credential_env: 'SIM_KEY',
    },
  ],
  models: [
    {
      id: 'sim/small',
      name: 'Small',
      description: 'A small model.',
      capability: 'chat',
      tier: 'free',
      context_length: 1000,
      upstreams: [{ provider: 'sim', model: 'small' }],
    },
  ],
};

describe('the catalog', () => {
  it('is planned and applied, and the second of two concurrent changes is refused', async () => {
    const plan = await api.post('/admin/v1/catalog/plan', document);
    expect(plan).toMatchObject({
      status: 200,
      body: { object: 'catalog.plan', providers: { added: ['sim'] } },
    });
    const empty = await api.get('/admin/v1/catalog');
    expect(refusal(await api.post('/admin/v1/catalog/apply', document))).toMatchObject({ status: 428 });
    const both = await Promise.all([
      api.post('/admin/v1/catalog/apply', document, match(empty)),
      api.post('/admin/v1/catalog/apply', { providers: [], models: [] }, match(empty)),
    ]);
    const applied = both.filter(({ status }) => status === 200);
    expect(applied.length).toBeGreaterThanOrEqual(1);
    const now = await api.get('/admin/v1/catalog');
    const final = await api.post('/admin/v1/catalog/apply', document, match(now));
    expect(final.status).toBe(200);
    const stale = await api.post('/admin/v1/catalog/apply', { providers: [], models: [] }, match(empty));
    expect(refusal(stale)).toMatchObject({ status: 412, code: 'precondition_failed' });
    const { body } = await api.get('/admin/v1/catalog');
    expect(body.revision).toBe(final.body.revision);
    const none = { added: [], changed: [], retired: [] };
    expect((await api.post('/admin/v1/catalog/plan', body.document)).body).toMatchObject({
      providers: none,
      models: none,
    });
    const wrong = await api.post('/admin/v1/catalog/plan', { providers: [], models: [], prices: [] });
    expect(refusal(wrong)).toMatchObject({ status: 400 });
    expect(refusal(await api.get('/admin/v1/catalog', { key: boundKey }))).toMatchObject({ status: 403 });
  });
});

describe('receipts, audit events and the fleet', () => {
  it('are listed and found by account', async () => {
    const row = usageRow({ accountId: other, keyId: 'key_1', inputTokens: 9, tags: { project: 'alpha' } });
    await settleRows(control.query, [row]);
    const list = await api.get(`/admin/v1/receipts?account_id=${other}&tags[project]=alpha`);
    expect(list.body.data).toMatchObject([
      { id: row.requestId, account_id: other, units: { input_tokens: 9 } },
    ]);
    const receipt = await api.get(`/admin/v1/receipts/${row.requestId}`);
    expect(receipt.body).toMatchObject({
      object: 'usage.receipt',
      id: row.requestId,
      tags: { project: 'alpha' },
    });
    await expectOwnOnly(`/admin/v1/receipts/${row.requestId}`);
    expect(refusal(await api.get(`/admin/v1/receipts?account_id=${other}`, { key: boundKey }))).toMatchObject(
      {
        status: 404,
      },
    );
  });

  it('show only what a bound key may see', async () => {
    const team = await api.post('/admin/v1/teams', { account_id: other, name: 'Audited' });
    const { body } = await api.get(`/admin/v1/audit_events?object_id=${idOf(team)}`);
    const [event] = body.data as { id: string }[];
    expect((await api.get(`/admin/v1/audit_events/${event?.id}`)).body).toMatchObject({
      action: 'team.created',
    });
    await expectOwnOnly(`/admin/v1/audit_events/${event?.id}`);
    const own = await api.get('/admin/v1/audit_events', { key: boundKey });
    expect((own.body.data as { account_id: string }[]).every((each) => each.account_id === 'acct_test')).toBe(
      true,
    );
    const mine = await api.post('/admin/v1/teams', { account_id: 'acct_test', name: 'Mine' });
    const list = `/admin/v1/audit_events?object_id=${idOf(mine)}`;
    const ofOperator = (await api.get(list)).body.data as { id: string; actor: { ip: string } }[];
    expect(ofOperator[0]?.actor.ip).toBe('127.0.0.1');
    const seen = (await api.get(list, { key: boundKey })).body.data as typeof ofOperator;
    expect(seen).toMatchObject([{ id: ofOperator[0]?.id, actor: { type: 'admin_key', ip: null } }]);
    const alone = await api.get(`/admin/v1/audit_events/${ofOperator[0]?.id}`, { key: boundKey });
    expect(alone.body).toEqual(seen[0]);
    for (const path of ['/admin/v1/fleet', '/admin/v1/catalog'])
      expect(refusal(await api.get(path, { key: boundKey }))).toMatchObject({ status: 403 });
    expect(refusal(await api.post('/admin/v1/ledger/verify', {}, { key: boundKey }))).toMatchObject({
      status: 403,
    });
  });

  it('report the state of the installation', async () => {
    const { body } = await api.get('/admin/v1/fleet');
    expect(body).toMatchObject({ object: 'fleet', data_planes: [], accounts: expect.any(Number) });
  });
});
