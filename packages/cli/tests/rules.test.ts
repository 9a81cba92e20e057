import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Gatewayctl, startGatewayctl } from './gatewayctl-fixture.ts';

const ACCOUNT = 'ada@example.com';
const NONE = {
  models: null,
  providers: null,
  endpoints: null,
  networks: null,
  budgets: [],
  requests_per_minute: null,
  tokens_per_minute: null,
  streams: null,
  expires_at: null,
  require_tags: [],
  require_end_user: false,
};
const BUDGET = {
  id: expect.stringMatching(/^bud_\w{20}$/),
  usd: '25.00',
  window: 'month',
  on_exceed: 'block',
};

let gatewayctl: Gatewayctl;
let account: string;

beforeAll(async () => {
  gatewayctl = await startGatewayctl();
  account = await gatewayctl.id('accounts', 'create', '--email', ACCOUNT);
});
afterAll(() => gatewayctl[Symbol.asyncDispose]());

const newKey = (...options: string[]) =>
  gatewayctl.json('keys', 'create', ACCOUNT, '--name', 'ci', ...options);
const newKeyId = () => gatewayctl.id('keys', 'create', ACCOUNT, '--name', 'ci');

describe('gatewayctl rules', () => {
  it('sets the rules of a file or of standard input, and shows what decided', async () => {
    const key = await newKeyId();
    const file = gatewayctl.file('rules.json', '{"models": ["acme/*"], "streams": 3}');
    const set = await gatewayctl.json('rules', 'set', '--account', ACCOUNT, '-f', file);
    const ofAccount = { ...NONE, models: ['acme/*'], streams: 3 };
    const decided = Object.fromEntries(Object.keys(NONE).map((member) => [member, null]));
    expect(set).toEqual({
      ...ofAccount,
      effective: ofAccount,
      from: { ...decided, models: 'account', streams: 'account' },
      spend: [],
      unconfirmed_instances: [],
    });
    const rules = '{"models": ["acme/small"], "budgets": [{"usd": "25", "window": "month"}]}';
    const outcome = await gatewayctl.run(['rules', 'set', '--key', key, '-f', '-'], rules);
    expect(outcome).toMatchObject({ code: 0, err: '' });
    const { unconfirmed_instances: _, ...printed } = JSON.parse(outcome.out);
    expect(printed).toEqual({
      ...NONE,
      models: ['acme/small'],
      budgets: [BUDGET],
      effective: {
        ...NONE,
        models: ['acme/small'],
        streams: 3,
        budgets: [{ ...BUDGET, scope: 'key' }],
      },
      from: { ...decided, models: 'key', streams: 'account', budgets: 'key' },
      spend: [
        {
          ...{ id: BUDGET.id, scope: 'key', window: 'month', on_exceed: 'block' },
          ...{ limit_usd: '25.000000000', spent_usd: '0.000000000', reserved_usd: '0.000000000' },
          ...{ remaining_usd: '25.000000000', resets_at: expect.stringMatching(/-01T00:00:00\.000Z$/) },
        },
      ],
    });
    expect(await gatewayctl.json('rules', 'show', '--key', key)).toEqual(printed);
    const { out } = await gatewayctl.run(['rules', 'show', '--key', key, '--own']);
    const again = gatewayctl.file('own.json', out);
    expect(await gatewayctl.json('rules', 'set', '--key', key, '-f', again)).toMatchObject(printed);
  });

  it('sets rules of every owner', async () => {
    const team = await gatewayctl.id('teams', 'create', ACCOUNT, '--name', 'crew');
    const seat = await gatewayctl.id('seats', 'add', '--team', team, '--account', ACCOUNT);
    const owners = [
      ['--key', await newKeyId()],
      ['--seat', seat],
      ['--team', team],
      ['--account', account],
      ['--end-users', '--account', account],
      ['--end-user', 'customer 1', '--account', ACCOUNT],
    ];
    for (const [index, owner] of owners.entries()) {
      const rules = JSON.stringify({ tokens_per_minute: index + 1 });
      const { code } = await gatewayctl.run(['rules', 'set', ...owner, '-f', '-'], rules);
      expect({ owner, code }).toEqual({ owner, code: 0 });
    }
    for (const [index, owner] of owners.entries()) {
      const shown = await gatewayctl.json('rules', 'show', ...owner);
      expect(shown).toMatchObject({ tokens_per_minute: index + 1 });
    }
    await gatewayctl.run(['rules', 'set', '--account', account, '-f', '-'], '{}');
  });

  it('names an unknown field, and changes nothing', async () => {
    const key = await newKeyId();
    const rules = '{"budgets": [{"usd": "1", "window": "day", "limit": 2}]}';
    expect(await gatewayctl.run(['rules', 'set', '--key', key, '-f', '-'], rules)).toEqual({
      code: 1,
      out: '',
      err: 'gatewayctl: unknown_field: rules have no field `budgets[0].limit`\n',
    });
    expect(await gatewayctl.json('rules', 'show', '--key', key)).toMatchObject({ budgets: [] });
    const broken = await gatewayctl.run(['rules', 'set', '--key', key, '-f', '-'], '{');
    expect(broken.err).toBe('gatewayctl: the rules are not valid JSON\n');
  });

  it.each([
    [[]],
    [['--key', 'key_1', '--account', ACCOUNT]],
    [['--end-users']],
    [['--end-user', 'ada', '--end-users', '--account', ACCOUNT]],
    [['--end-user', 'ada', '--account', ACCOUNT, '--key', 'key_1']],
  ])('need one owner, not %j', async (owner) => {
    expect((await gatewayctl.run(['rules', 'show', ...owner])).code).toBe(2);
  });
});

describe('rules of a key as options', () => {
  const shownRules = async (id: string) => gatewayctl.json('rules', 'show', '--key', id, '--own');

  it('are in force when it is created', async () => {
    const created = await newKey(
      ...['--budget', '25/month', '--budget', '1.5/day/warn', '--models', 'acme/*, other/small'],
      ...['--providers', 'acme', '--endpoints', 'chat', '--networks', '10.0.0.0/8,2001:db8::/32'],
      ...['--requests-per-minute', '60', '--tokens-per-minute', '1000', '--streams', '2'],
      ...['--tag', 'project=alpha', '--tag', 'env=prod', '--require-tag', 'customer', '--require-end-user'],
      ...['--cache', 'read, write; ttl=60'],
    );
    const { cache, id, rules, tags } = z
      .object({ id: z.string(), rules: z.looseObject({}), tags: z.unknown(), cache: z.string() })
      .parse(created);
    expect(tags).toEqual({ project: 'alpha', env: 'prod' });
    expect(cache).toBe('read, write; ttl=60');
    const expected = {
      models: ['acme/*', 'other/small'],
      providers: ['acme'],
      endpoints: ['chat'],
      networks: ['10.0.0.0/8', '2001:db8::/32'],
      budgets: [BUDGET, { ...BUDGET, usd: '1.50', window: 'day', on_exceed: 'warn' }],
      requests_per_minute: 60,
      tokens_per_minute: 1_000,
      streams: 2,
      expires_at: null,
      require_tags: ['customer'],
      require_end_user: true,
    };
    expect(rules).toMatchObject(expected);
    expect(await shownRules(id)).toEqual(expected);
  });

  it('change one by one', async () => {
    const id = await newKeyId();
    const change = (...options: string[]) => gatewayctl.json('keys', 'change', id, ...options);
    await change('--budget', '25/month', '--models', 'acme/*', '--tag', 'project=alpha', '--streams', '2');
    expect(await change('--budget', '30/month', '--streams', 'any')).toMatchObject({
      tags: { project: 'alpha' },
      rules: { models: ['acme/*'], budgets: [{ ...BUDGET, usd: '30.00' }], streams: null },
      unconfirmed_instances: [],
    });
    expect(await change('--cache', 'read')).toMatchObject({ cache: 'read', tags: { project: 'alpha' } });
    expect(await change('--cache', 'off')).not.toHaveProperty('cache');
    await change('--require-end-user');
    expect(await shownRules(id)).toMatchObject({ require_end_user: true });
    await change('--budget', 'none', '--models', 'any', '--tag', 'none', '--no-require-end-user');
    expect(await shownRules(id)).toEqual(NONE);
    expect((await gatewayctl.run(['keys', 'change', id, '--streams', '1'])).out).toBe(
      `${id} changed; known everywhere\n`,
    );
  });

  it.each([
    ['--budget', '25'],
    ['--budget', '25/year'],
    ['--budget', '25/month/stop'],
    ['--budget', 'x/month'],
    ['--tag', 'project'],
    ['--tag', 'Project=a'],
    ['--require-tag', 'a b'],
    ['--streams', 'many'],
  ])('%s %s is refused', async (option, value) => {
    expect((await gatewayctl.run(['keys', 'change', 'key_1', option, value])).code).toBe(2);
  });
});

describe('the calendar of an account', () => {
  it('is UTC with weeks from Monday, or as given, and can be changed', async () => {
    const email = 'berlin@example.com';
    expect(
      await gatewayctl.json('accounts', 'create', '--email', email, '--timezone', 'Europe/Berlin'),
    ).toMatchObject({ timezone: 'Europe/Berlin', week_starts: 'monday' });
    expect(await gatewayctl.json('accounts', 'change', email, '--week-starts', 'sunday')).toMatchObject({
      ...{ timezone: 'Europe/Berlin', week_starts: 'sunday', unconfirmed_instances: [] },
    });
    const failed = await gatewayctl.run(['accounts', 'change', email, '--timezone', 'Mars']);
    expect(failed).toMatchObject({ code: 1, err: expect.stringContaining('there is no time zone "Mars"') });
  });
});
