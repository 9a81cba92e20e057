import { runSql } from '@model-gateway/test-kit/run-sql';
import { settleRows, type UsageRowChanges, usageRow } from '@model-gateway/test-kit/usage-row';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Gatewayctl, startGatewayctl } from './gatewayctl-fixture.ts';

const ADA = 'ada@example.com';
const MARCH = ['--since', '2026-03-01', '--until', '2026-04-01'];

let gatewayctl: Gatewayctl;

beforeAll(async () => {
  gatewayctl = await startGatewayctl();
  const accountId = await gatewayctl.id('accounts', 'create', '--email', ADA);
  const row = (requestId: string, more: UsageRowChanges) =>
    usageRow({ requestId, accountId, keyId: 'key_ada', endedAt: '2026-03-02T10:00:00Z', ...more });
  await settleRows(
    (...statement) => runSql(gatewayctl.databaseUrl, ...statement),
    [
      row('req_1', {
        tags: { project: 'alpha', env: 'prod' },
        endUser: 'anna',
        session: 's1',
        affinity: 'session',
      }),
      row('req_2', { tags: { project: 'beta' }, endUser: 'ben', budgets: ['bud_1/2026-03'] }),
      row('req_3', {}),
    ],
  );
});
afterAll(() => gatewayctl[Symbol.asyncDispose]());

const groupsOf = async (...args: string[]) => {
  const { groups } = (await gatewayctl.json('usage', ADA, ...MARCH, ...args)) as {
    groups: { id: string | null; requests: number }[];
  };
  return Object.fromEntries(groups.map(({ id, requests }) => [id ?? 'none', requests]));
};

it('gatewayctl usage has one row per value of a tag, end user or session, and one for requests without', async () => {
  expect(await groupsOf('--by', 'tag:project')).toEqual({ alpha: 1, beta: 1, none: 1 });
  expect(await groupsOf('--by', 'end_user')).toEqual({ anna: 1, ben: 1, none: 1 });
  expect(await groupsOf('--by', 'session', '--tag', 'project=alpha')).toEqual({ s1: 1 });
  expect(await groupsOf('--by', 'model', '--tag', 'project=alpha', '--tag', 'project=beta')).toEqual({
    'sim/chat': 2,
  });
});

it('gatewayctl usage by a label has a column for its values, and none for names', async () => {
  const { out } = await gatewayctl.run(['usage', ADA, ...MARCH, '--by', 'tag:project']);
  expect(out).toMatch(/^PROJECT +REQUESTS /m);
  expect(out).toMatch(/^alpha +1 /m);
  expect(out).toMatch(/^- +1 /m);
  const byEndUser = await gatewayctl.run(['usage', ADA, ...MARCH, '--by', 'end_user']);
  expect(byEndUser.out).toMatch(/^END USER +REQUESTS /m);
  const byModel = await gatewayctl.run(['usage', ADA, ...MARCH, '--by', 'model']);
  expect(byModel.out).toMatch(/^MODEL +NAME +REQUESTS /m);
});

it('gatewayctl usage and receipts take only requests with a tag, of an end user or a session', async () => {
  expect(await gatewayctl.json('usage', ADA, ...MARCH, '--end-user', 'anna')).toMatchObject({
    totals: { requests: 1 },
  });
  for (const [args, ids] of [
    [
      ['--tag', 'project=alpha', '--tag', 'project=beta'],
      ['req_2', 'req_1'],
    ],
    [['--tag', 'project=alpha', '--tag', 'env=dev'], []],
    [
      ['--end-user', 'ben', '--end-user', 'anna'],
      ['req_2', 'req_1'],
    ],
    [['--session', 's1'], ['req_1']],
  ] as const) {
    const listed = await gatewayctl.json('receipts', 'list', ADA, ...args);
    expect(listed).toEqual(ids.map((request_id) => expect.objectContaining({ request_id })));
  }
});

it('gatewayctl receipts show has the labels of a request', async () => {
  expect(await gatewayctl.json('receipts', 'show', 'req_1')).toMatchObject({
    tags: { project: 'alpha', env: 'prod' },
    end_user: 'anna',
    session: 's1',
    affinity: 'session',
    rules_checked: [],
  });
  const { out } = await gatewayctl.run(['receipts', 'show', 'req_2']);
  expect(out).toMatch(/^tags +project=beta$/m);
  expect(out).toMatch(/^end user +ben$/m);
  expect(out).toMatch(/^budgets +bud_1$/m);
  expect(out).not.toMatch(/^session/m);
});

it.each([
  [['--all', '--by', 'tag:project'], 'of one account or team'],
  [['--all', '--session', 's1'], 'of one account or team'],
  [[ADA, '--by', 'tag:Project'], 'Allowed choices are'],
  [[ADA, '--tag', 'project'], 'such as project=alpha'],
])('gatewayctl usage %s is refused', async (args, message) => {
  const { code, err } = await gatewayctl.run(['usage', ...args]);
  expect(code).not.toBe(0);
  expect(err).toContain(message);
});
