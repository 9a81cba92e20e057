import { runSql } from '@model-gateway/test-kit/run-sql';
import { settleRows, type UsageRowChanges, usageRow } from '@model-gateway/test-kit/usage-row';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Gatewayctl, ISO_TIMESTAMP, startGatewayctl } from './gatewayctl-fixture.ts';

const [ADA, BEN] = ['ada@example.com', 'ben@example.com'];
const MARCH = ['--since', '2026-03-01', '--until', '2026-04-01'];

let gatewayctl: Gatewayctl;
let ada: string;
let ben: string;
let team: string;
let seat: string;
let adasKey: string;
let seatKey: string;

const requestIds = z.array(z.object({ request_id: z.string() }).transform(({ request_id }) => request_id));

async function requestsOf(...args: string[]): Promise<string[]> {
  return requestIds.parse(await gatewayctl.json('receipts', 'list', ...args));
}

interface Attempt {
  providerId: string;
  httpStatus: number | null;
  errorCode: string | null;
  durationMs: number;
}

const ANSWERED: Attempt = { providerId: 'acme', httpStatus: 200, errorCode: null, durationMs: 100 };

async function settle(requestId: string, endedAt: string, row: UsageRowChanges = {}): Promise<void> {
  const standard = { accountId: ada, keyId: adasKey, modelId: 'acme/small', attempts: [ANSWERED] };
  const rows = [usageRow({ requestId, endedAt, ...standard, ...row })];
  await settleRows((...statement) => runSql(gatewayctl.databaseUrl, ...statement), rows);
}

const failed = (errorCode: string, httpStatus: number | null) => ({
  usageSource: null,
  billingReason: 'upstream_failed_free',
  attempts: [{ ...ANSWERED, errorCode, httpStatus }],
});

beforeAll(async () => {
  gatewayctl = await startGatewayctl();
  ada = await gatewayctl.id('accounts', 'create', '--email', ADA, '--name', 'Ada Lovelace');
  ben = await gatewayctl.id('accounts', 'create', '--email', BEN);
  team = await gatewayctl.id('teams', 'create', '--account', BEN, '--name', 'Research');
  seat = await gatewayctl.id('seats', 'add', '--team', team, '--account', ADA);
  adasKey = await gatewayctl.id('keys', 'create', '--account', ADA, '--name', 'laptop');
  seatKey = await gatewayctl.id('keys', 'create', '--account', ADA, '--seat', seat, '--name', 'lab');
  await gatewayctl.json('pools', 'add', '--account', ADA, '--usd', '5');
  await gatewayctl.json('pools', 'add', '--account', BEN, '--usd', '5');
  await gatewayctl.json('pools', 'add', '--team', team, '--usd', '5');
  await settle('req_1', '2026-03-01T10:00:00Z', { cost: '1000' });
  await settle('req_2', '2026-03-02T10:00:00Z', { modelId: 'acme/large', cost: '9000' });
  await settle('req_3', '2026-03-03T10:00:00Z', failed('upstream_error', 500));
  await settle('req_4', '2026-03-03T10:00:00Z', failed('upstream_rejected', 422));
  const onSeat = { keyId: seatKey, seatId: seat, teamId: team };
  await settle('req_5', '2026-03-04T10:00:00Z', { ...onSeat, cost: '20000' });
  // This stream broke after its head had been sent. The status that the caller got is the recorded one, not
  // that of the error code.
  await settle('req_7', '2026-02-01T10:00:00Z', {
    ...{ ...failed('upstream_error', 200), clientStatus: 200, clientErrorCode: 'upstream_error' },
  });
  await settle('req_6', '2026-03-05T10:00:00Z', {
    ...{ accountId: ben, keyId: 'key_ben', cost: '4000', billingReason: 'aborted_partial' },
  });
});
afterAll(() => gatewayctl[Symbol.asyncDispose]());

describe('gatewayctl receipts list', () => {
  it('lists the requests of an account, on whichever seat, or of a key, newest first', async () => {
    const all = ['req_5', 'req_4', 'req_3', 'req_2', 'req_1', 'req_7'];
    for (const name of [[ADA], ['--account', ada]]) expect(await requestsOf(...name)).toEqual(all);
    expect(await requestsOf('--key', seatKey)).toEqual(['req_5']);
    expect(await requestsOf('--key', seatKey, '--account', ADA)).toEqual(['req_5']);
    expect(await requestsOf('--key', seatKey, '--account', BEN)).toEqual([]);
    expect(await requestsOf(BEN)).toEqual(['req_6']);
    expect(await requestsOf('--all')).toEqual(['req_6', ...all]);
    for (const names of [[], ['--all', ADA]])
      expect((await gatewayctl.run(['receipts', 'list', ...names])).err).toContain(
        'name an account or a key',
      );
  });

  it('shows the status, the ending and the cost of each request', async () => {
    const [seated, rejected] = z
      .array(z.unknown())
      .parse(await gatewayctl.json('receipts', 'list', '--account', ADA));
    expect(seated).toEqual({
      request_id: 'req_5',
      account_id: ada,
      seat_id: seat,
      team_id: team,
      key_id: seatKey,
      model: 'acme/small',
      capability: 'chat',
      ended_at: '2026-03-04T10:00:00.000Z',
      tags: {},
      end_user: null,
      session: null,
      status: 200,
      code: null,
      billing_reason: 'completed',
      units: expect.objectContaining({ input_tokens: 10, output_tokens: 5 }),
      ...{ cost_usd: '0.000020000', charged_usd: '0.000020000', margin_usd: '0.000000000' },
      ...{ attempts_cost_usd: '0.000000000', price_list_version: null, service_tier: null },
      settled_usd: '0.000020000',
      latency_ms: 100,
    });
    expect(rejected).toMatchObject({ request_id: 'req_4', status: 422, code: 'upstream_rejected' });
    const { out } = await gatewayctl.run(['receipts', 'list', ADA]);
    expect(out).toMatch(
      /^ENDED +REQUEST +KEY +MODEL +STATUS +ENDING +MS +COST USD +CHARGED USD +MARGIN USD\n/,
    );
    expect(out).toMatch(
      /Z +req_3 +key_\w+ +acme\/small +502 upstream_error +upstream_failed_free +100 +0\.00 +0\.00 +0\.00$/m,
    );
  });

  it('filters requests by model, status and time', async () => {
    expect(await requestsOf(ADA, '--model', 'acme/large')).toEqual(['req_2']);
    expect(await requestsOf(ADA, '--status', '502')).toEqual(['req_3']);
    expect(await requestsOf(ADA, '--status', '5xx')).toEqual(['req_3']);
    expect(await requestsOf(ADA, '--status', '4xx')).toEqual(['req_4']);
    expect(await requestsOf(ADA, '--status', '200')).toEqual(['req_5', 'req_2', 'req_1', 'req_7']);
    expect(await requestsOf(BEN, '--status', 'aborted_partial')).toEqual(['req_6']);
    const times = ['--since', '2026-03-02', '--until', '2026-03-03T10:00:00Z'];
    expect(await requestsOf(ADA, ...times)).toEqual(['req_2']);
    expect(await requestsOf(ADA, ...times, '--status', '5xx')).toEqual([]);
  });

  it('shows one page, by its number or after a request, and names the next page', async () => {
    const page = ['--account', ADA, '--limit', '2'];
    expect(await requestsOf(...page)).toEqual(['req_5', 'req_4']);
    expect(await requestsOf(...page, '--page', '2')).toEqual(['req_3', 'req_2']);
    expect(await requestsOf(...page, '--page', 'req_4')).toEqual(['req_3', 'req_2']);
    expect(await requestsOf(...page, '--page', '3')).toEqual(['req_1', 'req_7']);
    expect(await requestsOf(...page, '--page', '4')).toEqual([]);
    const first = await gatewayctl.run(['receipts', 'list', ...page]);
    expect(first.err).toBe('more: --page req_4\n');
    expect(await gatewayctl.run(['receipts', 'list', ...page, '--page', 'req_2'])).toMatchObject({ err: '' });
  });

  it('explains what is wrong with a command line or a request', async () => {
    for (const args of [
      [],
      [ADA, '--account', ADA],
      [ADA, '--limit', '0'],
      [ADA, '--limit', '1001'],
      [ADA, '--since', '2026-03-02', '--until', '2026-03-01'],
    ]) {
      const { code, err } = await gatewayctl.run(['receipts', 'list', ...args]);
      expect({ args, code }).toEqual({ args, code: 2 });
      expect(err).toMatch(/^error: .+\n/);
    }
    for (const [args, says] of [
      [['nobody@example.com'], 'there is no account nobody@example.com'],
      [['--key', 'key_none'], 'there is no key key_none'],
      [[ADA, '--page', 'req_none'], 'there is no request req_none to go on after'],
      [[ADA, '--status', '9xx'], 'status must be one such as 200 or 5xx'],
    ] as const) {
      const { code, err } = await gatewayctl.run(['receipts', 'list', ...args]);
      expect(code).toBe(1);
      expect(err).toContain(says);
    }
  });
});

describe('gatewayctl usage across accounts', () => {
  const total = { requests: 6, cost_usd: '0.000034000' };

  it('sums up all accounts, the most expensive first', async () => {
    expect(await gatewayctl.json('usage', '--all', ...MARCH)).toEqual({
      since: '2026-03-01T00:00:00.000Z',
      until: '2026-04-01T00:00:00.000Z',
      by: 'account',
      totals: expect.objectContaining(total),
      groups: [
        expect.objectContaining({
          id: ada,
          name: ADA,
          requests: 5,
          cost_usd: '0.000030000',
          input_tokens: 50,
        }),
        expect.objectContaining({ id: ben, name: BEN, requests: 1, cost_usd: '0.000004000' }),
      ],
      next_page: null,
    });
    const { out } = await gatewayctl.run(['usage', '--all', ...MARCH]);
    expect(out).toMatch(
      /^ACCOUNT +NAME +REQUESTS +INPUT TOKENS +OUTPUT TOKENS +COST USD +CHARGED USD +MARGIN USD$/m,
    );
    expect(out).toMatch(/^acct_\w+ +ada@example\.com +5 +50 +25 +0\.00003 +0\.00003 +0\.00$/m);
    expect(out).toMatch(/^total +6 +60 +30 +0\.000034 +0\.000034 +0\.00$/m);
  });

  it('shows usage by team, seat, key or model', async () => {
    const by = (what: string, ...more: string[]) =>
      gatewayctl.json('usage', '--all', '--by', what, ...MARCH, ...more);
    expect(await by('team')).toMatchObject({
      totals: total,
      groups: [
        { id: team, name: 'Research', requests: 1, cost_usd: '0.000020000' },
        { id: null, name: null, requests: 5, cost_usd: '0.000014000' },
      ],
    });
    expect(await by('seat')).toMatchObject({
      groups: [{ id: seat, name: ADA, account_id: ada, team_id: team, requests: 1 }, { id: null }],
    });
    expect(await by('key')).toMatchObject({
      groups: [
        { id: seatKey, name: 'lab', account_id: ada },
        { id: adasKey, name: 'laptop' },
        { id: 'key_ben', name: null },
      ],
    });
    expect(await by('model')).toMatchObject({
      groups: [
        { id: 'acme/small', requests: 5 },
        { id: 'acme/large', requests: 1 },
      ],
    });
  });

  it('shows the usage of one account or one team', async () => {
    expect(await gatewayctl.json('usage', ADA, '--by', 'seat', ...MARCH)).toMatchObject({
      totals: { requests: 5 },
      groups: [{ id: seat }, { id: null, requests: 4, cost_usd: '0.000010000' }],
    });
    expect(await gatewayctl.json('usage', '--team', team, ...MARCH)).toMatchObject({
      by: 'seat',
      totals: { requests: 1, cost_usd: '0.000020000' },
      groups: [{ id: seat, name: ADA }],
    });
    expect(await gatewayctl.run(['usage', '--team', 'team_none', ...MARCH])).toMatchObject({
      code: 1,
      err: 'gatewayctl: there is no team team_none\n',
    });
  });

  it('counts requests at the edges of a period once', async () => {
    const edges = ['--since', '2026-03-01T10:00:00Z', '--until', '2026-03-04T10:00:00Z'];
    expect(await gatewayctl.json('usage', '--all', ...edges)).toMatchObject({
      totals: { requests: 4, cost_usd: '0.000010000' },
    });
  });

  it('is shown page by page', async () => {
    const page = ['usage', '--all', '--by', 'key', ...MARCH, '--limit', '1'];
    const paged = z.object({
      groups: z.array(z.object({ id: z.string() })),
      next_page: z.string().nullable(),
      totals: z.object({ requests: z.literal(6) }),
    });
    const seen: string[] = [];
    let next: string | null = '1';
    while (next !== null) {
      const answer = paged.parse(await gatewayctl.json(...page, '--page', next));
      seen.push(...answer.groups.map(({ id }) => id));
      next = answer.next_page;
    }
    expect(seen).toEqual([seatKey, adasKey, 'key_ben']);
    expect(await gatewayctl.json(...page, '--page', '2')).toMatchObject({ groups: [{ id: adasKey }] });
    const { err } = await gatewayctl.run(page);
    expect(err).toMatch(/^more: --page \S+\n$/);
    expect(await gatewayctl.run([...page, '--page', 'nonsense'])).toMatchObject({ code: 1 });
  });

  it('refuses a command line with several owners, or with pages of a report without pages', async () => {
    for (const args of [
      ['--all', ADA],
      ['--all', '--team', team],
      [ADA, '--page', '2'],
      ['--all', '--by', 'day'],
    ]) {
      const { code, out } = await gatewayctl.run(['usage', ...args]);
      expect({ args, code, out }).toEqual({ args, code: 2, out: '' });
    }
  });
});

describe('gatewayctl accounts list', () => {
  const emails = z.array(z.object({ id: z.string(), email: z.string() }));
  const list = async (...args: string[]) => emails.parse(await gatewayctl.json('accounts', 'list', ...args));

  it('finds accounts by a part of their id, address or name, in upper or lower case', async () => {
    for (const search of ['ADA@', 'lovelace', ada.toUpperCase(), ada.slice(5)]) {
      expect((await list('--search', search)).map(({ email }) => email)).toEqual([ADA]);
    }
    expect(await list('--search', 'nobody')).toEqual([]);
    // The search is no pattern: it looks for the text as it is typed.
    for (const search of ['%', '_@', '.*', "'"]) expect(await list('--search', search)).toEqual([]);
    expect(await gatewayctl.run(['accounts', 'list', '--search', 'x'.repeat(300)])).toMatchObject({
      code: 1,
    });
  });

  it('shows one page, by its number or after an account, and names the next page', async () => {
    const all = await list();
    expect(all.map(({ email }) => email)).toEqual([ADA, BEN]);
    expect(await list('--limit', '1')).toEqual([all[0]]);
    expect(await list('--limit', '1', '--page', '2')).toEqual([all[1]]);
    expect(await list('--limit', '1', '--page', ada)).toEqual([all[1]]);
    expect(await list('--page', '2')).toEqual([]);
    expect(await gatewayctl.run(['accounts', 'list', '--limit', '1'])).toMatchObject({
      err: `more: --page ${ada}\n`,
    });
    expect(await gatewayctl.run(['accounts', 'list', '--page', 'acct_none'])).toMatchObject({
      code: 1,
      err: 'gatewayctl: there is no account acct_none to go on after\n',
    });
  });

  it('continues a search when a response of the control plane has no match', async () => {
    await runSql(
      gatewayctl.databaseUrl,
      `INSERT INTO accounts (id, email, name, created_at)
       SELECT 'acct_many' || i, 'many' || i || '@example.com', '', now() + i * interval '1 ms'
       FROM generate_series(1, 25000) AS i`,
    );
    expect((await list('--search', 'many25000@')).map(({ id }) => id)).toEqual(['acct_many25000']);
    expect(await list('--search', 'many', '--limit', '3', '--page', '2')).toEqual(
      [4, 5, 6].map((i) => expect.objectContaining({ id: `acct_many${i}` })),
    );
    expect(await list('--search', 'many2500', '--limit', '10')).toHaveLength(2);
  });
});

describe('gatewayctl status', () => {
  it('shows a data plane that has ended, with the time, for a day', async () => {
    await runSql(
      gatewayctl.databaseUrl,
      `INSERT INTO key_watchers (instance_id, control_plane_id, acked_revision, lease_until) VALUES
         ('live', 'cp', 7, now() + interval '1 hour'), ('today', 'cp', 7, now() - interval '23 hours 59 minutes'),
         ('long-ago', 'cp', 7, now() - interval '24 hours 1 second')`,
    );
    expect(await gatewayctl.json('status')).toMatchObject({
      data_planes: [
        { instance_id: 'live', live: true, ended_at: null },
        { instance_id: 'today', live: false, ended_at: ISO_TIMESTAMP },
      ],
    });
    const { out } = await gatewayctl.run(['status']);
    expect(out).toMatch(/^data planes +1 live$/m);
    expect(out).toMatch(/^today +- +- +cp +7 +gone since \d{4}-.*Z$/m);
    expect(out).not.toContain('long-ago');
  });
});
