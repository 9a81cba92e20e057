import { GrpcStatus } from '@model-gateway/contracts';
import { rules as rulesSchema } from '@model-gateway/shared/rules';
import { expect } from 'vitest';
import { administer, expectRefusal, failureOf, insertAccount } from '../fixtures/administration-fixture.ts';
import { it } from '../fixtures/control-planes-fixture.ts';
import { rulesOf } from '../fixtures/rules-fixture.ts';

const NONE = rulesSchema.parse({});
const ACCOUNT = { kind: 'account', id: 'acct_test' };

it('rules that are set replace the earlier ones, and are shown with those of the levels above', async ({
  control,
}) => {
  const rules = rulesOf(control);
  const key = { kind: 'key', id: (await control.createKey()).id };
  expect(await rules.get(key)).toMatchObject({ ...NONE, effective: NONE, spend: [] });
  await rules.set({ kind: 'account', id: 'test@example.com' }, { models: ['acme/*'], streams: 5 });
  const set = await rules.set(key, {
    models: ['acme/small', 'other/large'],
    budgets: [
      { usd: '25', window: 'month' },
      {
        ...{ usd: '1.5', window: 'day', on_exceed: 'warn' },
        ...{ temporary_usd: '3', temporary_until: '2099-01-01T00:00:00Z' },
      },
    ],
  });
  const budgets = [
    { id: expect.stringMatching(/^bud_/), usd: '25.00', window: 'month', on_exceed: 'block' },
    {
      ...{ id: expect.stringMatching(/^bud_/), usd: '1.50', window: 'day', on_exceed: 'warn' },
      ...{ temporary_usd: '3.00', temporary_until: '2099-01-01T00:00:00.000Z' },
    },
  ];
  expect(set).toMatchObject({
    ...NONE,
    models: ['acme/small', 'other/large'],
    budgets,
    effective: {
      ...NONE,
      models: ['acme/small'],
      streams: 5,
      budgets: budgets.map((budget) => ({ ...budget, scope: 'key' })),
    },
    from: { models: 'key, account', streams: 'account', budgets: 'key', networks: null },
    unconfirmed: [],
  });
  const replaced = await rules.set(key, { budgets: [{ usd: '30', window: 'month' }] });
  expect(replaced.models).toBeNull();
  expect(replaced.budgets).toEqual([{ ...set.budgets[0], usd: '30.00' }]);
  expect(await rules.set(key, {})).toMatchObject({ ...NONE, effective: { models: ['acme/*'] } });
  const [stored] = await control.sql`SELECT count(*)::int AS rules,
    (SELECT count(*)::int FROM budgets) AS budgets FROM rules`;
  expect(stored).toEqual({ rules: 1, budgets: 0 });
});

it.for<[unknown, string]>([
  [{ budget: [] }, 'unknown_field: rules have no field `budget`'],
  [
    { budgets: [{ usd: '1', window: 'day', on_exced: 'warn' }] },
    'unknown_field: rules have no field `budgets[0].on_exced`',
  ],
  [
    { budgets: [{ usd: 'much', window: 'day' }] },
    '`budgets[0].usd` must be dollars as text, such as "25.00"',
  ],
  [{ networks: ['intranet'] }, '`networks[0]` must be a network such as "10.0.0.0/8" or "2001:db8::/32"'],
])('rules %j are refused, and the earlier ones stay', async ([given, message], { control }) => {
  const rules = rulesOf(control);
  await rules.set(ACCOUNT, { streams: 2 });
  const failure = await failureOf(rules.set(ACCOUNT, given));
  expect(failure).toMatchObject({ code: GrpcStatus.INVALID_ARGUMENT, details: message });
  expect((await rules.get(ACCOUNT)).streams).toBe(2);
});

it('members that requests of end users are not checked against are refused for them', async ({ control }) => {
  const rules = rulesOf(control);
  for (const owner of [
    { kind: 'end_users', id: 'acct_test' },
    { kind: 'end_user', id: 'acct_test', endUser: 'ada' },
  ])
    for (const [member, value] of Object.entries({ streams: 1, expires_at: '2030-01-01T00:00:00Z' })) {
      const failure = await failureOf(rules.set(owner, { [member]: value }));
      const details = `\`${member}\` cannot be set for end users: set it for their keys or the account`;
      expect(failure).toMatchObject({ code: GrpcStatus.INVALID_ARGUMENT, details });
      await rules.set(owner, { [member]: null });
    }
});

it('rules are refused for an owner that does not exist, or has ended', async ({ control }) => {
  const rules = rulesOf(control);
  const admin = administer(control);
  for (const kind of ['key', 'seat', 'team', 'account', 'end_users']) {
    await expectRefusal(rules.set({ kind, id: 'nobody' }, {}), GrpcStatus.NOT_FOUND);
    await expectRefusal(rules.get({ kind, id: 'nobody' }), GrpcStatus.NOT_FOUND);
  }
  await expectRefusal(rules.get({ kind: 'pool', id: 'acct_test' }), GrpcStatus.INVALID_ARGUMENT);
  for (const endUser of ['', 'x'.repeat(129), 'a\0b']) {
    const owner = { kind: 'end_user', id: 'acct_test', endUser };
    await expectRefusal(rules.set(owner, {}), GrpcStatus.INVALID_ARGUMENT);
  }
  const key = await control.createKey();
  await rules.set({ kind: 'key', id: key.id }, { streams: 1 });
  await control.revokeKey(key.id);
  await expectRefusal(rules.set({ kind: 'key', id: key.id }, {}), GrpcStatus.FAILED_PRECONDITION);
  expect((await rules.get({ kind: 'key', id: key.id })).streams).toBe(1);
  const seat = await admin.addSeat((await admin.createTeam()).id, 'acct_test');
  await admin.removeSeat(seat.id);
  await expectRefusal(rules.set({ kind: 'seat', id: seat.id }, {}), GrpcStatus.FAILED_PRECONDITION);
});

it('a key on a seat has the rules of its seat, its team and its own account', async ({ control }) => {
  const rules = rulesOf(control);
  const admin = administer(control);
  const member = await insertAccount(control, 'member');
  const team = await admin.createTeam();
  const seat = await admin.addSeat(team.id, member);
  const key = await admin.createKey({ account: member, seatId: seat.id });
  await rules.set({ kind: 'team', id: team.id }, { models: ['acme/*'], tokens_per_minute: 500 });
  await rules.set({ kind: 'seat', id: seat.id }, { budgets: [{ usd: '5', window: 'week' }] });
  await rules.set({ kind: 'account', id: member }, { require_tags: ['project'] });
  await rules.set({ kind: 'account', id: 'acct_test' }, { streams: 1 });
  const shown = await rules.get({ kind: 'key', id: key.id });
  expect(shown.from).toMatchObject({
    ...{ models: 'team', tokens_per_minute: 'team', budgets: 'seat', require_tags: 'account', streams: null },
  });
  expect((await admin.resolve(key.lookupHash)).key?.rules).toMatchObject({
    models: [{ entries: ['acme/*'] }],
    tokensPerMinute: '500',
    requireTags: ['project'],
    budgets: [{ id: shown.effective.budgets[0]?.id, scope: 'seat', window: 'week' }],
  });
});

it('rules of every level tell data planes to forget exactly the keys that they are for', async ({
  control,
}) => {
  const rules = rulesOf(control);
  const admin = administer(control);
  const other = await insertAccount(control, 'other');
  const team = await admin.createTeam();
  const seat = await admin.addSeat(team.id, 'acct_test');
  const own = await control.createKey();
  const seated = await admin.createKey({ account: 'acct_test', seatId: seat.id });
  await admin.createKey({ account: other });
  const changed = async (owner: { kind: string; id: string; endUser?: string }) => {
    const [{ before } = {}] = await control.sql`SELECT value AS before FROM revisions WHERE name = 'keys'`;
    await rules.set(owner, { tokens_per_minute: 1 });
    const rows = await control.sql`SELECT key_id FROM key_events WHERE revision > ${before}`;
    return rows.map((row) => row.key_id).toSorted();
  };
  const both = [own.id, seated.id].toSorted();
  expect(await changed({ kind: 'key', id: own.id })).toEqual([own.id]);
  expect(await changed({ kind: 'seat', id: seat.id })).toEqual([seated.id]);
  expect(await changed({ kind: 'team', id: team.id })).toEqual([seated.id]);
  expect(await changed(ACCOUNT)).toEqual(both);
  expect(await changed({ kind: 'end_users', id: 'acct_test' })).toEqual(both);
  expect(await changed({ kind: 'end_user', id: 'acct_test', endUser: 'ada' })).toEqual(both);
});

it('rules are set when no data plane uses the old ones', async ({ control }) => {
  const key = await control.createKey();
  const watch = await control.dataPlane();
  let answered = false;
  const answer = rulesOf(control)
    .set({ kind: 'key', id: key.id }, { models: [] })
    .finally(() => {
      answered = true;
    });
  const change = await watch.changeOf(key.id);
  for (let round = 0; round < 3; round++) await watch.heartbeat();
  expect(answered).toBe(false);
  watch.ack(change?.revision ?? '');
  expect((await answer).unconfirmed).toEqual([]);
});

it('a change of rules tells data planes when the key expires by all of its rules', async ({ control }) => {
  const rules = rulesOf(control);
  const { id } = await control.createKey();
  const watch = await control.dataPlane();
  watch.ackEverything();
  const expiryAfter = async (set: Promise<unknown>) => {
    await set;
    return watch.events.flatMap(({ changed }) => changed ?? []).at(-1)?.expiresAtMs;
  };
  const key = { kind: 'key', id };
  expect(await expiryAfter(rules.set(key, { expires_at: '2099-01-01T01:00:00+01:00' }))).toBe(
    String(Date.UTC(2099, 0)),
  );
  expect(await expiryAfter(rules.set(ACCOUNT, { expires_at: 4_000_000_000 }))).toBe('4000000000000');
  expect(await expiryAfter(rules.set(ACCOUNT, {}))).toBe(String(Date.UTC(2099, 0)));
  expect(await expiryAfter(rules.set(key, {}))).toBeUndefined();
});

it('own rules of an end user replace the template, and null gives it the template again', async ({
  control,
}) => {
  const rules = rulesOf(control);
  const template = { kind: 'end_users', id: 'acct_test' };
  const ada = { kind: 'end_user', id: 'acct_test', endUser: 'ada@example.com/1' };
  const key = await control.createKey();
  const versionOf = async () => (await administer(control).resolve(key.lookupHash)).key?.endUsers?.version;
  await rules.set(template, { models: ['acme/*'], budgets: [{ usd: '1', window: 'day' }] });
  expect(await versionOf()).toBe(0);
  const templated = await rules.get(ada);
  expect(templated).toMatchObject({
    ...{ models: null, effective: { models: ['acme/*'] }, from: { models: 'end_user' } },
    spend: [{ scope: 'end_user', window: 'day', limit_usd: '1.000000000', spent_usd: '0.000000000' }],
  });
  await rules.set(ada, { budgets: [{ usd: '9', window: 'day' }] });
  expect(await rules.endUser('acct_test', 'ada@example.com/1')).toMatchObject({
    ...{ version: 1, rules: { models: [], budgets: [{ window: 'day' }] } },
  });
  await rules.set(ada, {});
  expect((await rules.endUser('acct_test', 'ada@example.com/1')).rules).toMatchObject({ budgets: [] });
  expect((await rules.get(ada)).effective).toEqual(NONE);
  expect(await rules.set(ada, null)).toMatchObject({ effective: { models: ['acme/*'] } });
  expect((await rules.endUser('acct_test', 'ada@example.com/1')).rules).toBeNull();
  expect(await versionOf()).toBe(3);
});

it('a rotated key has the rules and tags of the old one, and counts into the same budgets', async ({
  control,
}) => {
  const rules = rulesOf(control);
  const admin = administer(control);
  const { id } = await control.createKey();
  const set = await rules.change(id, { budgets: [{ usd: '25', window: 'total' }] }, { project: 'alpha' });
  const budget = set.budgets[0]?.id ?? '';
  await control.sql`INSERT INTO budget_windows (id, budget_id, spent) VALUES (${`${budget}/total`}, ${budget}, 7)`;
  const overlapMs = 3_600_000;
  const second = await control.admin('accounts', 'rotateKey', { keyId: id, overlapMs });
  const third = await control.admin('accounts', 'rotateKey', { keyId: second.key?.id ?? '', overlapMs: 0 });
  const newest = third.key?.id ?? '';
  expect(third.key?.tags).toEqual({ project: 'alpha' });
  expect(await rules.get({ kind: 'key', id: newest })).toMatchObject({
    budgets: set.budgets,
    spend: [{ id: budget, spent_usd: '0.000000007', resets_at: null }],
  });
  await rules.set({ kind: 'key', id: newest }, { budgets: [{ usd: '1', window: 'total' }], streams: 3 });
  expect(await rules.get({ kind: 'key', id })).toMatchObject({ streams: 3, budgets: [{ id: budget }] });
  const events = await control.sql`SELECT key_id FROM key_events ORDER BY revision DESC LIMIT 2`;
  expect(events.map((event) => event.key_id).toSorted()).toEqual([id, newest].toSorted());
  expect(await admin.listKeys('acct_test')).toHaveLength(3);
});

it('a change of a key keeps the members and tags that it does not name', async ({ control }) => {
  const rules = rulesOf(control);
  const { id, lookupHash } = await control.createKey();
  await rules.change(id, { models: ['acme/*'], streams: 2 }, { project: 'alpha' });
  const changed = await rules.change(id, { streams: null, tokens_per_minute: 100 });
  expect(changed).toMatchObject({ models: ['acme/*'], streams: null, tokens_per_minute: 100 });
  expect(changed.key?.tags).toEqual({ project: 'alpha' });
  expect((await administer(control).resolve(lookupHash)).key?.tags).toEqual({ project: 'alpha' });
  await expectRefusal(rules.change(id, { budget: 1 }), GrpcStatus.INVALID_ARGUMENT);
  await expectRefusal(rules.change(id, {}, { Project: 'a' }), GrpcStatus.INVALID_ARGUMENT);
});

it('concurrent changes of two members of a key both stay', async ({ control }) => {
  const rules = rulesOf(control);
  const { id } = await control.createKey();
  await Promise.all([rules.change(id, { models: ['acme/*'] }), rules.change(id, { streams: 2 })]);
  expect(await rules.get({ kind: 'key', id })).toMatchObject({ models: ['acme/*'], streams: 2 });
});

it('a key is created with its rules and tags, or not at all', async ({ control }) => {
  const create = (rules: unknown, tags = {}) =>
    control.admin('accounts', 'createKey', {
      ...{ account: 'acct_test', name: 'ci', rulesJson: JSON.stringify(rules), tags },
    });
  const { key } = await create({ budgets: [{ usd: '25', window: 'month' }] }, { project: 'alpha' });
  expect(key?.tags).toEqual({ project: 'alpha' });
  expect((await rulesOf(control).get({ kind: 'key', id: key?.id ?? '' })).budgets).toHaveLength(1);
  await expectRefusal(create({ budget: '25' }), GrpcStatus.INVALID_ARGUMENT);
  await expectRefusal(create({}, { project: '' }), GrpcStatus.INVALID_ARGUMENT);
  expect(await administer(control).listKeys('acct_test')).toHaveLength(1);
});

it("budgets reset in the account's calendar, and a change of it reaches data planes", async ({ control }) => {
  const rules = rulesOf(control);
  const { id, lookupHash } = await control.createKey();
  await rules.set({ kind: 'key', id }, { budgets: [{ usd: '1', window: 'day' }] });
  const calendar = { timezone: 'Pacific/Kiritimati', weekStarts: 'sunday' };
  const { account } = await control.admin('accounts', 'changeAccount', { account: 'acct_test', ...calendar });
  expect(account).toMatchObject(calendar);
  const resolved = await administer(control).resolve(lookupHash);
  expect(resolved.key?.rules?.budgets).toMatchObject([calendar]);
  // Midnight at UTC+14.
  expect((await rules.get({ kind: 'key', id })).spend[0]?.resets_at).toMatch(/T10:00:00\.000Z$/);
  for (const given of [{ timezone: 'Mars/Olympus' }, { weekStarts: 'someday' }]) {
    const call = control.admin('accounts', 'changeAccount', { account: 'acct_test', ...given });
    await expectRefusal(call, GrpcStatus.INVALID_ARGUMENT);
  }
});

it('a deleted account takes its rules and those of its end users along', async ({ control }) => {
  const rules = rulesOf(control);
  const budgets = [{ usd: '1', window: 'day' }];
  await rules.set(ACCOUNT, { budgets });
  await rules.set({ kind: 'end_users', id: 'acct_test' }, { budgets });
  await rules.set({ kind: 'end_user', id: 'acct_test', endUser: 'ada' }, { budgets });
  await control.admin('accounts', 'deleteAccount', { account: 'acct_test' });
  expect(await control.sql`SELECT owner FROM rules UNION ALL SELECT owner FROM budgets`).toEqual([]);
});
