import { keyResponse } from '@model-gateway/shared';
import { chatBody, envelopeOf, withGateway } from '@model-gateway/test-kit';
import { expect, it } from 'vitest';
import { setRules } from './set-rules.ts';

const gateway = withGateway({ defaultLimits: true });

const get = (rawKey: string) =>
  fetch(`${gateway.baseUrl}/v1/key`, { headers: { authorization: `Bearer ${rawKey}` } });
const read = async (rawKey: string) => keyResponse.strict().parse(await (await get(rawKey)).json());

it('a key shows itself, its rules, and what is left of its budgets and limits', async () => {
  const created = Date.now() / 1_000;
  const { accountId, id, rawKey } = await gateway.createKey();
  await gateway.admin.call(30_000, 'accounts', 'changeKey', {
    keyId: id,
    rulesJson: JSON.stringify({
      models: ['sim/*'],
      budgets: [{ usd: '25', window: 'month' }],
      expires_at: '2099-01-01T00:00:00Z',
    }),
    tags: { tags: { project: 'alpha' } },
  });
  const [ofAccount] = await setRules(
    gateway,
    { kind: 'account', id: accountId },
    {
      ...{ streams: 3, budgets: [{ usd: '100', window: 'total' }] },
    },
  );
  const response = await get(rawKey);
  expect(response.headers.get('cache-control')).toBe('no-store');
  const key = keyResponse.strict().parse(await response.json());
  const [budget] = key.rules.budgets;
  const now = new Date();
  expect(key).toEqual({
    object: 'key',
    id,
    name: expect.any(String),
    prefix: rawKey.slice(0, 16),
    account_id: accountId,
    team_id: null,
    created: expect.any(Number),
    expires_at: Date.UTC(2099, 0) / 1_000,
    rules: {
      models: ['sim/*'],
      providers: null,
      endpoints: null,
      networks: null,
      budgets: [{ id: expect.stringMatching(/^bud_/), usd: '25.00', window: 'month', on_exceed: 'block' }],
      requests_per_minute: null,
      tokens_per_minute: null,
      streams: null,
      expires_at: '2099-01-01T00:00:00Z',
      require_tags: [],
      require_end_user: false,
      effective: expect.objectContaining({
        models: ['sim/*'],
        streams: 3,
        budgets: [
          { ...budget, scope: 'key' },
          { ...ofAccount, scope: 'account' },
        ],
      }),
    },
    budgets: [
      {
        ...{ id: budget?.id, scope: 'key', window: 'month', limit_usd: '25.000000000' },
        ...{ spent_usd: '0.000000000', reserved_usd: '0.000000000', remaining_usd: '25.000000000' },
        resets_at: Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1) / 1_000,
      },
      expect.objectContaining({ id: ofAccount?.id, scope: 'account', window: 'total', resets_at: null }),
    ],
    limits: expect.arrayContaining([
      { name: 'key.reads', limit: 300, window_seconds: 60, remaining: 299 },
      { name: 'key.free', limit: 60, window_seconds: 60, remaining: 60 },
    ]),
    tags: { project: 'alpha' },
  });
  expect(Math.abs(key.created - created)).toBeLessThan(60);
});

it('a key on a seat shows its team, and no key shows another', async () => {
  const { accountId, rawKey: others } = await gateway.createKey();
  const team = await gateway.admin.call(30_000, 'teams', 'createTeam', { account: accountId, name: 'crew' });
  const seat = await gateway.admin.call(30_000, 'teams', 'addSeat', { teamId: team.id, account: accountId });
  const made = await gateway.admin.call(30_000, 'accounts', 'createKey', {
    ...{ account: accountId, name: 'seated', seatId: seat.id },
  });
  expect(await read(made.rawKey)).toMatchObject({ id: made.key?.id, team_id: team.id, name: 'seated' });
  expect((await read(others)).id).not.toBe(made.key?.id);
  expect((await get(`${others.slice(0, -1)}x`)).status).toBe(401);
});

it('a key shows what it spent in the window of its budget', async () => {
  const { id, rawKey } = await gateway.createKey();
  const [budget] = await setRules(gateway, { kind: 'key', id }, { budgets: [{ usd: '1', window: 'total' }] });
  const answer = await gateway.post('chat/completions', chatBody({ model: 'sim/chat-pro', max_tokens: 5 }), {
    key: rawKey,
  });
  expect(answer.status, await answer.text()).toBe(200);
  await expect
    .poll(async () => (await read(rawKey)).budgets)
    .toMatchObject([{ id: budget?.id, spent_usd: expect.not.stringMatching(/^0\.0*$/) }]);
});

it('a key does not show itself to an address that it may not be used from', async () => {
  const { id, rawKey } = await gateway.createKey();
  await setRules(gateway, { kind: 'key', id }, { networks: ['192.0.2.0/24'] });
  const response = await get(rawKey);
  expect(response.status).toBe(403);
  expect(envelopeOf({ body: await response.text() }).code).toBe('network_not_allowed');
});
