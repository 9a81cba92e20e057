import { settleRows, usageRow } from '@model-gateway/test-kit/usage-row';
import { OpenRouter } from '@openrouter/sdk';
import { beforeAll, describe, expect, it } from 'vitest';
import { administer, insertAccount } from '../fixtures/administration-fixture.ts';
import { useControlPlanes } from '../fixtures/control-planes-fixture.ts';
import { manage } from '../fixtures/management-fixture.ts';
import { poolsOf } from '../fixtures/pools-fixture.ts';

const control = useControlPlanes();
const api = manage(control);
let bound: OpenRouter;
let all: OpenRouter;
let otherKey = '';

function client(apiKey: string): OpenRouter {
  return new OpenRouter({ apiKey, serverURL: api.url('/api/v1') });
}

beforeAll(async () => {
  const other = await insertAccount(control, 'other');
  bound = client((await api.insertKey({ accountId: 'acct_test' })).key);
  all = client((await api.insertKey()).key);
  ({ id: otherKey } = await administer(control).createKey({ account: other, name: 'theirs' }));
});

describe("OpenRouter's SDK", () => {
  it('creates a key with a limit, which is a budget of its rules', async () => {
    const created = await bound.apiKeys.create({
      requestBody: { name: 'Bot', limit: 25.5, limitReset: 'monthly', external: { user: 'crm-7' } },
    });
    expect(created.key).toMatch(/^gw_live_/);
    expect(created.data).toMatchObject({
      name: 'Bot',
      label: `${created.key.slice(0, 16)}...`,
      disabled: false,
      limit: 25.5,
      limitRemaining: 25.5,
      limitReset: 'monthly',
      usage: 0,
      workspaceId: 'acct_test',
      externalUser: 'crm-7',
    });
    const { hash } = created.data;
    const { body } = await api.get(`/admin/v1/keys/${hash}`);
    expect(body).toMatchObject({
      external_id: 'crm-7',
      rules: { budgets: [{ usd: '25.50', window: 'month', on_exceed: 'block' }] },
    });
    expect((await bound.apiKeys.get({ hash })).data).toEqual(created.data);
  });

  it('changes the limit and keeps the other rules, also those of concurrent changes', async () => {
    const { data } = await bound.apiKeys.create({ requestBody: { name: 'Rules', limit: 5 } });
    const { hash } = data;
    const { headers } = await api.get(`/admin/v1/keys/${hash}`);
    const rules = {
      models: ['sim/*'],
      budgets: [
        { usd: '1.00', window: 'day', on_exceed: 'warn' },
        { usd: '5.00', window: 'total' },
      ],
    };
    await api.patch(
      `/admin/v1/keys/${hash}`,
      { rules },
      { headers: { 'if-match': headers.get('etag') ?? '' } },
    );
    const changed = await bound.apiKeys.update({ hash, requestBody: { limit: 7, limitReset: 'weekly' } });
    expect(changed.data).toMatchObject({ limit: 7, limitReset: 'weekly' });
    expect((await api.get(`/admin/v1/keys/${hash}`)).body).toMatchObject({
      rules: {
        models: ['sim/*'],
        budgets: [
          { usd: '1.00', window: 'day', on_exceed: 'warn' },
          { usd: '7.00', window: 'week', on_exceed: 'block' },
        ],
      },
    });
    const removed = await bound.apiKeys.update({ hash, requestBody: { limit: null } });
    expect(removed.data).toMatchObject({ limit: null, limitRemaining: null, limitReset: null });
  });

  it('disables a key and enables it again', async () => {
    const { data, key } = await bound.apiKeys.create({ requestBody: { name: 'Switch' } });
    const { hash } = data;
    expect((await bound.apiKeys.update({ hash, requestBody: { disabled: true } })).data.disabled).toBe(true);
    const listed = async (includeDisabled: boolean) =>
      (await bound.apiKeys.list({ includeDisabled })).data.map((each) => each.hash);
    expect(await listed(false)).not.toContain(hash);
    expect(await listed(true)).toContain(hash);
    expect(await control.sql`SELECT stopped_by FROM api_keys WHERE id = ${hash}`).toEqual([
      { stopped_by: 'api' },
    ]);
    const enabled = await bound.apiKeys.update({ hash, requestBody: { disabled: false, name: 'On' } });
    expect(enabled.data).toMatchObject({ disabled: false, name: 'On' });
    expect(key).toBeDefined();
  });

  it('deletes a key for good', async () => {
    const { data } = await bound.apiKeys.create({ requestBody: { name: 'Gone' } });
    expect(await bound.apiKeys.delete({ hash: data.hash })).toMatchObject({ deleted: true });
    await expect(bound.apiKeys.get({ hash: data.hash })).rejects.toMatchObject({
      name: 'NotFoundResponseError',
    });
    expect((await api.get(`/admin/v1/keys/${data.hash}`)).body).toMatchObject({ status: 'revoked' });
  });

  it('lists keys newest first, with an offset, of one account or of all', async () => {
    const own = (await bound.apiKeys.list({ includeDisabled: true })).data;
    expect(own.map(({ workspaceId }) => new Set([workspaceId]))).toContainEqual(new Set(['acct_test']));
    expect(own.map(({ hash }) => hash)).not.toContain(otherKey);
    const offset = (await bound.apiKeys.list({ includeDisabled: true, offset: 1 })).data;
    expect(offset).toEqual(own.slice(1));
    expect((await all.apiKeys.list({})).data.map(({ hash }) => hash)).toContain(otherKey);
    const theirs = await all.apiKeys.list({ workspaceId: 'acct_other' });
    expect(theirs.data.map(({ hash }) => hash)).toEqual([otherKey]);
  });

  it('finds no keys of other accounts with a bound admin key', async () => {
    await expect(bound.apiKeys.get({ hash: otherKey })).rejects.toMatchObject({ statusCode: 404 });
    await expect(
      bound.apiKeys.update({ hash: otherKey, requestBody: { disabled: true } }),
    ).rejects.toMatchObject({
      statusCode: 404,
    });
    await expect(bound.apiKeys.delete({ hash: otherKey })).rejects.toMatchObject({ statusCode: 404 });
    await expect(bound.apiKeys.list({ workspaceId: 'acct_other' })).rejects.toMatchObject({
      statusCode: 404,
    });
    await expect(
      bound.apiKeys.create({ requestBody: { name: 'x', workspaceId: 'acct_other' } }),
    ).rejects.toMatchObject({ statusCode: 404 });
  });

  it('must name the account to create a key with an unbound admin key', async () => {
    await expect(all.apiKeys.create({ requestBody: { name: 'x' } })).rejects.toMatchObject({
      name: 'BadRequestResponseError',
      error: { code: 400 },
    });
    const created = await all.apiKeys.create({ requestBody: { name: 'x', workspaceId: 'acct_other' } });
    expect(created.data.workspaceId).toBe('acct_other');
  });

  it('shows what keys have spent and what is left of the credits', async () => {
    const account = await insertAccount(control, 'credits');
    await poolsOf(control).add({ kind: 'account', id: account }, { includedUsd: '10.00' });
    const { key: secret } = await api.insertKey({ accountId: account });
    const { data } = await client(secret).apiKeys.create({
      requestBody: { name: 'Spender', limit: 3, limitReset: 'daily' },
    });
    const { body } = await api.get(`/admin/v1/keys/${data.hash}`);
    const [{ id: budget } = { id: '' }] = (body.rules as { budgets: { id: string }[] }).budgets;
    const today = new Date().toISOString().slice(0, 10);
    const paid = {
      accountId: account,
      keyId: data.hash,
      modelId: 'sim/chat-pro',
      budgets: [`${budget}/${today}`],
    };
    await settleRows(control.query, [
      usageRow({ ...paid, cost: '1250000000' }),
      usageRow({ ...paid, cost: '250000000', endedAt: '2026-01-05T00:00:00Z', budgets: [] }),
    ]);
    const { data: spent } = await client(secret).apiKeys.get({ hash: data.hash });
    expect(spent).toMatchObject({
      usage: 1.5,
      usageDaily: 1.25,
      usageWeekly: 1.25,
      usageMonthly: 1.25,
      limitRemaining: 1.75,
    });
    expect((await client(secret).credits.getCredits({})).data).toEqual({ totalCredits: 10, totalUsage: 1.5 });
    expect((await all.credits.getCredits({})).data).toEqual({ totalCredits: 10, totalUsage: 1.5 });
  });

  it('describes the admin key itself, and refuses keys for models', async () => {
    const { data } = await bound.apiKeys.getCurrentKeyMetadata({});
    expect(data).toMatchObject({ isManagementKey: true, limit: null, usage: 0, workspaceId: 'acct_test' });
    const { data: made, key } = await bound.apiKeys.create({ requestBody: { name: 'For models' } });
    expect(made.disabled).toBe(false);
    await expect(client(key).apiKeys.getCurrentKeyMetadata({})).rejects.toMatchObject({
      name: 'UnauthorizedResponseError',
      error: { code: 401, metadata: { code: 'invalid_api_key' } },
    });
  });
});

it('an unknown field of a new key is refused, and nothing is created', async () => {
  const before = await control.sql`SELECT count(*) FROM api_keys`;
  const { body, status } = await api.post('/api/v1/keys', {
    name: 'x',
    workspace_id: 'acct_test',
    budget: 1,
  });
  expect(status).toBe(422);
  expect(body).toMatchObject({ error: { code: 422, metadata: { code: 'unknown_field', param: 'budget' } } });
  expect(await control.sql`SELECT count(*) FROM api_keys`).toEqual(before);
});

it('a repeated creation with the same Idempotency-Key makes one key and gives the same secret', async () => {
  const headers = { 'idempotency-key': 'once' };
  const send = () =>
    api.post('/api/v1/keys', { name: 'Once', workspace_id: 'acct_test', limit: 2 }, { headers });
  const answers = await Promise.all(Array.from({ length: 10 }, send));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
  expect(new Set(answers.map(({ body }) => body.key)).size).toBe(1);
  expect(await control.sql`SELECT count(*)::int AS keys FROM api_keys WHERE name = 'Once'`).toEqual([
    { keys: 1 },
  ]);
});
