import { perUnit } from '@model-gateway/shared';
import { runSql } from '@model-gateway/test-kit/run-sql';
import { settleRows, type UsageRowChanges, usageRow } from '@model-gateway/test-kit/usage-row';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Gatewayctl, ISO_TIMESTAMP, startGatewayctl } from './gatewayctl-fixture.ts';

const SPENDER = 'spender@example.com';
const CATALOG = `
providers:
  - { id: acme, name: Acme AI, kind: openai-compatible, base_url: "https://api.acme.example/v1" }
models:
  - id: acme/small
    name: Small
    capability: chat
    tier: paid
    upstreams: [{ provider: acme, model: small-2026-01 }]
    pricing: { input_per_million_usd: "0.10", output_per_million_usd: "0.60" }
`;
const NO_UNITS = perUnit('json', () => 0);

let gatewayctl: Gatewayctl;
let spender: string;

async function settle(requestId: string, row: UsageRowChanges): Promise<void> {
  const standard = {
    accountId: spender,
    keyId: 'key_1',
    modelId: 'acme/small',
    priceVersion: 1,
    inputTokens: 0,
    outputTokens: 0,
  };
  const rows = [usageRow({ requestId, ...standard, ...row })];
  await settleRows((...statement) => runSql(gatewayctl.databaseUrl, ...statement), rows);
}

beforeAll(async () => {
  gatewayctl = await startGatewayctl();
  await gatewayctl.json('catalog', 'apply', '-f', gatewayctl.file('catalog.yaml', CATALOG));
  spender = await gatewayctl.id('accounts', 'create', '--email', SPENDER);
});
afterAll(() => gatewayctl[Symbol.asyncDispose]());

describe('gatewayctl statements', () => {
  it('shows the balances of a month, what was added, and the spend, to the nano-dollar', async () => {
    const email = 'statement@example.com';
    const accountId = await gatewayctl.id('accounts', 'create', '--email', email);
    await gatewayctl.json('pools', 'add', email, '--usd', '2.00');
    await settle('req_statement', { accountId, keyId: 'key_gone', cost: '1234567' });
    const month = new Date().toISOString().slice(0, 7);
    expect(await gatewayctl.json('statements', 'show', email)).toEqual({
      account_id: accountId,
      email,
      name: 'statement',
      month,
      opening_usd: '0.000000000',
      opening_unlimited: false,
      credits: [{ kind: 'included', amount_usd: '2.000000000' }],
      lapsed_usd: '0.000000000',
      spent_usd: '0.001234567',
      spent_unlimited_usd: '0.000000000',
      closing_usd: '1.998765433',
      closing_unlimited: false,
      models: [{ model: 'acme/small', requests: 1, amount_usd: '0.001234567' }],
      keys: [
        {
          id: 'playground',
          name: 'Playground',
          team_id: null,
          team_name: null,
          requests: 1,
          amount_usd: '0.001234567',
        },
      ],
      other_month_usd: '0.000000000',
    });
    const { out } = await gatewayctl.run(['statements', 'show', '--account', email, '--month', month]);
    expect(out).toContain(`${email} (${accountId}), ${month} UTC`);
    // The lines add up, as on the page of the dashboard.
    expect(out).toMatch(
      /Opening balance +0\.0{9}\nCredit added +2\.0{9}\nSpent +-0\.001234567\nBalance now +1\.998765433\n/,
    );
    expect((await gatewayctl.run(['statements', 'show', email, '--month', '2026-13'])).code).toBe(1);
  });

  it('shows an unlimited balance, and what unlimited pools paid, apart from the rest', async () => {
    const email = 'unlimited-statement@example.com';
    const accountId = await gatewayctl.id('accounts', 'create', '--email', email);
    await gatewayctl.json('pools', 'add', email, '--unlimited');
    await settle('req_unlimited', { accountId, keyId: 'key_gone', cost: '2000000' });
    const show = async () => (await gatewayctl.run(['statements', 'show', email])).out;
    expect(await show()).toMatch(/Balance now +unlimited\nSpent from unlimited pools +-0\.002000000\n/);
    await gatewayctl.json('pools', 'add', email, '--usd', '3');
    expect(await show()).toMatch(/Credit added +3\.0{9}\nBalance now, besides unlimited pools +3\.0{9}\n/);
    expect(await gatewayctl.json('statements', 'show', email)).toMatchObject({
      opening_unlimited: false,
      spent_unlimited_usd: '0.002000000',
      closing_usd: '3.000000000',
      closing_unlimited: true,
    });
  });
});

describe('gatewayctl pools', () => {
  it('adds pools to accounts, teams and seats, and lists them in the order in which requests use them', async () => {
    const owner = 'owner@example.com';
    const account = await gatewayctl.id('accounts', 'create', '--email', owner);
    const team = await gatewayctl.id('teams', 'create', '--account', owner, '--name', 'Lab');
    const seat = await gatewayctl.id('seats', 'add', '--team', team, '--account', owner);
    for (const [flag, given, scope, id] of [
      ['--account', owner, 'account', account],
      ['--team', team, 'team', team],
      ['--seat', seat, 'seat', seat],
    ] as const) {
      const plain = await gatewayctl.json('pools', 'add', flag, given, '--usd', '5.00');
      expect(plain).toEqual({
        id: expect.stringMatching(/^pool_/),
        name: '5.00 USD',
        scope,
        owner_id: id,
        unlimited: false,
        included_usd: '5.000000000',
        used_usd: '0.000000000',
        left_usd: '5.000000000',
        held_usd: '0.000000000',
        remaining_usd: '5.000000000',
        resets_at: null,
        expires_at: null,
        created_at: ISO_TIMESTAMP,
      });
      const add = ['pools', 'add', flag, given, '--usd', '0.000000001', '--name', 'Tiny'];
      const monthly = await gatewayctl.json(...add, '--resets', 'monthly');
      expect(monthly).toMatchObject({ name: 'Tiny', included_usd: '0.000000001' });
      expect(monthly).toMatchObject({ resets_at: expect.stringMatching(/-01T00:00:00\.000Z$/) });
      expect(await gatewayctl.json('pools', 'list', flag, given)).toEqual([monthly, plain]);
      const { out } = await gatewayctl.run(['pools', 'list', flag, given]);
      expect(out).toMatch(/^POOL +NAME +OF +INCLUDED +USED +LEFT +RESERVED +RESETS\n/);
      expect(out).toMatch(/^pool_\w+ +Tiny +[\w@.]+ +0\.000000001 +0\.00 +0\.000000001 +0\.00 +\d{4}-.*Z$/m);
      expect(out).toMatch(/^pool_\w+ +5\.00 USD +[\w@.]+ +5\.00 +0\.00 +5\.00 +0\.00 +never$/m);
    }
  });

  it('adds unlimited pools and pools that expire, and shows both', async () => {
    const account = ['--account', 'unlimited@example.com'];
    await gatewayctl.id('accounts', 'create', '--email', 'unlimited@example.com');
    const unlimited = await gatewayctl.json('pools', 'add', ...account, '--unlimited');
    expect(unlimited).toMatchObject({
      name: 'Unlimited',
      unlimited: true,
      included_usd: null,
      used_usd: '0.000000000',
      left_usd: null,
      held_usd: '0.000000000',
      remaining_usd: null,
    });
    const ending = ['pools', 'add', ...account, '--usd', '5.00', '--expires'];
    const expiring = await gatewayctl.json(...ending, '2099-01-31');
    expect(expiring).toMatchObject({ unlimited: false, expires_at: '2099-01-31T00:00:00.000Z' });
    const soon = await gatewayctl.json(...ending, '30d');
    expect(await gatewayctl.json('pools', 'list', ...account)).toEqual([soon, expiring, unlimited]);
    const { out } = await gatewayctl.run(['pools', 'list', ...account]);
    expect(out).toMatch(/^POOL +NAME +OF +INCLUDED +USED +LEFT +RESERVED +RESETS +EXPIRES\n/);
    expect(out).toMatch(/ 5\.00 +0\.00 +5\.00 +0\.00 +never +2099-01-31T00:00:00\.000Z$/m);
    expect(out).toMatch(/ Unlimited +\S+ +unlimited +0\.00 +unlimited +0\.00 +never +never$/m);
    const list = await gatewayctl.run(['accounts', 'list', '--search', 'unlimited@example.com']);
    expect(list.out).toMatch(/unlimited@example\.com +unlimited +unlimited +/);
    expect(await gatewayctl.json('accounts', 'list', '--search', 'unlimited@example.com')).toMatchObject([
      { left_usd: null, unlimited: true },
    ]);
    const { id } = z.object({ id: z.string() }).parse(unlimited);
    expect(await gatewayctl.json('pools', 'change', id, '--usd', '2.00')).toMatchObject({
      unlimited: false,
      included_usd: '2.000000000',
    });
    expect(await gatewayctl.json('pools', 'change', id, '--unlimited')).toMatchObject({ unlimited: true });
    expect(await gatewayctl.json('pools', 'remove', id)).toMatchObject({ taken_usd: '0.000000000' });
    const all = await gatewayctl.json('pools', 'add', '--all', '--unlimited', '--dry-run');
    expect(all).toMatchObject({ total_usd: null });
  });

  it('refuses a command line without exactly one owner, an amount and a known reset', async () => {
    const misunderstood = [
      ['pools', 'list'],
      ['pools', 'list', '--account', SPENDER, '--team', 'team_1'],
      ['pools', 'add', '--usd', '5'],
      ['pools', 'add', '--account', SPENDER],
      ['pools', 'add', '--account', SPENDER, '--usd', '1', '--unlimited'],
      ['pools', 'add', '--account', SPENDER, '--usd', '1', '--expires', 'soon'],
      ['pools', 'change', 'pool_1', '--usd', '1', '--unlimited'],
      ['demo', 'remove', 'now'],
      ['pools', 'add', '--account', SPENDER, '--usd', '0'],
      ['pools', 'add', '--account', SPENDER, '--usd', '$5'],
      ['pools', 'add', '--account', SPENDER, '--usd', '1', '--resets', 'weekly'],
      ['usage'],
      ['usage', '--account', SPENDER, '--since', 'yesterday'],
      ['usage', '--account', SPENDER, '--since', '2026-02-02', '--until', '2026-02-01'],
      ['receipts', 'show'],
      ['verify-ledger', 'now'],
    ];
    for (const args of misunderstood) {
      const { code, out, err } = await gatewayctl.run(args);
      expect({ args, code, out }).toEqual({ args, code: 2, out: '' });
      expect(err).toMatch(/^error: .+\n/);
    }
  });
});

const atCost = (usd: string) => ({ cost_usd: usd, charged_usd: usd, margin_usd: '0.000000000' });

describe('gatewayctl usage', () => {
  it('shows totals, models and pools of a period, the most expensive model first', async () => {
    await gatewayctl.json('pools', 'add', '--account', SPENDER, '--usd', '1', '--name', 'Credit');
    await settle('req_a', {
      inputTokens: 1_000,
      outputTokens: 500,
      cost: '400000',
      endedAt: '2026-03-01T10:00:00Z',
    });
    await settle('req_b', {
      ...{ modelId: 'acme/voice', capability: 'speech', audioMs: 1_500, cost: '2000000' },
      endedAt: '2026-03-02T00:00:00Z',
    });
    await settle('req_c', { inputTokens: 1, cost: '100', endedAt: '2026-03-02T10:00:59Z' });
    const usage = ['usage', '--account', SPENDER, '--since'];
    const small = {
      ...NO_UNITS,
      requests: 2,
      input_tokens: 1_001,
      output_tokens: 500,
      ...atCost('0.000400100'),
    };
    const voice = { ...NO_UNITS, requests: 1, audio_seconds: 1.5, ...atCost('0.002000000') };
    expect(await gatewayctl.json(...usage, '2026-03-01', '--until', '2026-03-03')).toEqual({
      account_id: spender,
      since: '2026-03-01T00:00:00.000Z',
      until: '2026-03-03T00:00:00.000Z',
      totals: { ...small, requests: 3, audio_seconds: 1.5, ...atCost('0.002400100') },
      models: [
        { model: 'acme/voice', ...voice },
        { model: 'acme/small', ...small },
      ],
      pools: [
        expect.objectContaining({ name: 'Credit', used_usd: '0.002400100', remaining_usd: '0.997599900' }),
      ],
    });
    const { out } = await gatewayctl.run([...usage, '2026-03-01T10:00:00Z', '--until', '2026-03-02']);
    expect(out).toContain(`${SPENDER} (${spender}), 2026-03-01T10:00:00.000Z to 2026-03-02T00:00:00.000Z\n`);
    expect(out).toMatch(
      /^MODEL +REQUESTS +INPUT TOKENS +OUTPUT TOKENS +COST USD +CHARGED USD +MARGIN USD\n/m,
    );
    expect(out).toMatch(/^acme\/small +1 +1000 +500 +0\.0004 +0\.0004 +0\.00\n/m);
    expect(out).toMatch(/^total +1 +1000 +500 +0\.0004 +0\.0004 +0\.00\n/m);
    expect(out).toMatch(/^pool_\w+ +Credit /m);
  });

  it('counts every day of a period of years once', async () => {
    const twoYears = ['--since', '2025-01-01', '--until', '2027-01-01'];
    expect(await gatewayctl.json('usage', '--account', SPENDER, ...twoYears)).toMatchObject({
      totals: { requests: 3, cost_usd: '0.002400100' },
      models: [
        { model: 'acme/voice', requests: 1 },
        { model: 'acme/small', requests: 2 },
      ],
    });
  });

  it('shows the current month by default', async () => {
    await gatewayctl.id('accounts', 'create', '--email', 'idle@example.com');
    expect(await gatewayctl.json('usage', '--account', 'idle@example.com')).toMatchObject({
      since: expect.stringMatching(/-01T00:00:00\.000Z$/),
      until: ISO_TIMESTAMP,
      totals: { ...NO_UNITS, requests: 0, cost_usd: '0.000000000' },
      models: [],
      pools: [],
    });
    const { out } = await gatewayctl.run(['usage', '--account', 'idle@example.com']);
    expect(out).toContain('No pools: paid models are refused.\n');
  });
});

describe('gatewayctl receipts', () => {
  it('shows what a request consumed, cost, and who paid', async () => {
    await settle('req_receipt', {
      ...{ inputTokens: 1_000, outputTokens: 500, cost: '400000', held: '900000' },
      attempts: [
        { providerId: 'other', httpStatus: 503, errorCode: 'upstream_error', durationMs: 12 },
        {
          ...{ providerId: 'acme', httpStatus: 200, errorCode: null, durationMs: 345 },
          credentialEnv: 'ACME_API_KEY_2',
        },
      ],
      endedAt: '2026-04-01T10:00:00Z',
    });
    const unbilled = { estimated_units: null, estimated_cost_usd: null, provider_request_id: null };
    const receipt = await gatewayctl.json('receipts', 'show', 'req_receipt');
    expect(receipt).toEqual({
      request_id: 'req_receipt',
      account_id: spender,
      seat_id: null,
      team_id: null,
      key_id: 'key_1',
      model: 'acme/small',
      capability: 'chat',
      ended_at: '2026-04-01T10:00:00.000Z',
      tags: {},
      end_user: null,
      session: null,
      rules_checked: [],
      billing_reason: 'completed',
      affinity: null,
      cached_input_share: 0,
      status: 200,
      code: null,
      units: { ...NO_UNITS, input_tokens: 1_000, output_tokens: 500 },
      usage_source: 'provider',
      price_version: 1,
      pricing: { input_per_million_usd: '0.10', output_per_million_usd: '0.60' },
      held_usd: '0.000900000',
      ...atCost('0.000400000'),
      attempts_cost_usd: '0.000000000',
      price_list_version: null,
      service_tier: null,
      settled_usd: '0.000400000',
      uncollected_usd: '0.000000000',
      pools: [
        { id: expect.stringMatching(/^pool_/), name: 'Credit', scope: 'account', debited_usd: '0.000400000' },
      ],
      attempts: [
        {
          provider: 'other',
          model: 'acme/small',
          credential: null,
          status: 503,
          code: 'upstream_error',
          error: null,
          duration_ms: 12,
          ...unbilled,
        },
        {
          provider: 'acme',
          model: 'acme/small',
          credential: 'ACME_API_KEY_2',
          status: 200,
          code: null,
          error: null,
          duration_ms: 345,
          ...unbilled,
        },
      ],
    });
    const { out } = await gatewayctl.run(['receipts', 'show', 'req_receipt']);
    expect(out).toMatch(/^consumed +1000 input tokens, 500 output tokens \(counted by: provider\)$/m);
    expect(out).toMatch(/^price +version 1: input_per_million_usd 0\.10, output_per_million_usd 0\.60$/m);
    expect(out).toMatch(/^pool_\w+ +Credit +account +0\.0004$/m);
    expect(out).toMatch(/^answered +200$/m);
    expect(out).toMatch(/^other +acme\/small +- +503 +upstream_error +12$/m);
    expect(out).toMatch(/^acme +acme\/small +ACME_API_KEY_2 +200 +- +345$/m);
  });

  it("shows the caller's status, and separately the provider's", async () => {
    await settle('req_failed', {
      ...{ billingReason: 'upstream_failed_free', usageSource: null, clientStatus: 502 },
      clientErrorCode: 'upstream_error',
      attempts: [{ providerId: 'acme', httpStatus: 500, errorCode: 'upstream_error', durationMs: 3 }],
      endedAt: '2026-04-01T11:00:00Z',
    });
    expect(await gatewayctl.json('receipts', 'show', 'req_failed')).toMatchObject({
      status: 502,
      code: 'upstream_error',
      attempts: [{ status: 500 }],
    });
    const { out } = await gatewayctl.run(['receipts', 'show', 'req_failed']);
    expect(out).toMatch(/^answered +502 upstream_error$/m);
    expect(out).toMatch(/^acme +acme\/small +- +500 +upstream_error +3$/m);
  });
});

describe('gatewayctl verify-ledger', () => {
  it('exits 1 and names the rows that disagree, and 0 when there are none', async () => {
    const agreed = await gatewayctl.run(['verify-ledger']);
    expect(agreed).toEqual({
      code: 0,
      out: expect.stringMatching(/^\d+ pools, \d+ usage records and \d+ ledger entries agree\.\n$/),
      err: '',
    });
    expect(await gatewayctl.json('verify-ledger')).toMatchObject({ disagreements: [] });

    await runSql(
      gatewayctl.databaseUrl,
      `UPDATE usage_records SET cost = 401000, charged = 401000
      WHERE request_id = 'req_receipt'`,
    );
    const problem = 'charged 400000 in the ledger, but its usage records sum to 401000';
    const { code, out, err } = await gatewayctl.run(['verify-ledger']);
    expect({ code, err }).toEqual({ code: 1, err: '2 rows DISAGREE\n' });
    expect(out).toMatch(/^KIND +ID +PROBLEM \(NANO-USD\)\n/);
    expect(out).toMatch(new RegExp(`^settlement +\\d+ pool_\\w+ +${problem}$`, 'm'));
    const json = await gatewayctl.run(['verify-ledger', '--json']);
    expect({ code: json.code, err: json.err }).toEqual({ code: 1, err: '' });
    expect(JSON.parse(json.out)).toMatchObject({
      disagreements: [
        { kind: 'settlement', id: expect.stringMatching(/^\d+ pool_/), problem },
        { kind: 'usage_rollup', id: expect.stringContaining('acme/small') },
      ],
    });
  });
});

describe('gatewayctl pools, usage and receipts', () => {
  it('print an error of the control plane on one line, with exit code 1', async () => {
    for (const args of [
      ['pools', 'add', '--account', 'nobody@example.com', '--usd', '1'],
      ['pools', 'add', '--account', SPENDER, '--usd', '9000001'],
      ['pools', 'list', '--team', 'team_none'],
      ['pools', 'list', '--seat', 'seat_none'],
      ['usage', '--account', 'nobody@example.com'],
      ['receipts', 'show', 'req_none'],
    ]) {
      const { code, out, err } = await gatewayctl.run(args);
      expect({ args, code, out }).toEqual({ args, code: 1, out: '' });
      expect(err).toMatch(/^gatewayctl: \S.+\n$/);
      expect(err).not.toContain('unexpected');
    }
  });

  it('explain why a request may have no receipt', async () => {
    const { err } = await gatewayctl.run(['receipts', 'show', 'req_none']);
    expect(err).toMatch(/there is no receipt of req_none: no provider got this request/);
  });
});
