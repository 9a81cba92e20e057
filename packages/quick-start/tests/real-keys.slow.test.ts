import { until } from '@model-gateway/test-kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gatewayctl } from './npm-start.ts';
import {
  CLAUDE,
  longTurn,
  type StartedWithKeys,
  sixAtOnce,
  startWithKeys,
  statusOf,
} from './start-with-keys.ts';

const LONG = 600_000;

describe('npm start with keys of real providers', () => {
  let gateway: StartedWithKeys;
  beforeAll(async () => {
    gateway = await startWithKeys();
  });
  afterAll(() => gateway?.[Symbol.asyncDispose]());

  const json = async (...args: string[]) =>
    JSON.parse(await gatewayctl(gateway.start.dataDir, ...args, '--json'));
  const own = ['--account', 'you@example.com'];

  it('shows only the usage of its user at first, and a balance that refuses nothing', async () => {
    expect(gateway.start.output()).toContain('Balance    unlimited: paid models are counted, not refused');
    expect(gateway.start.output()).toContain('Real providers: Anthropic, OpenAI.\n');
    expect(await json('pools', 'list', ...own)).toMatchObject([
      { unlimited: true, included_usd: null, resets_at: expect.stringContaining('-01T') },
    ]);
    // The only request is the one that npm start makes.
    expect((await json('usage', ...own)).totals.requests).toBeLessThanOrEqual(1);
  });

  it('never refuses a conversation of 600 kB, nor six requests at once, and counts them', async () => {
    expect(await statusOf(gateway, '/messages', longTurn(CLAUDE, LONG))).toBe(200);
    expect(await sixAtOnce(gateway)).toEqual([200, 200, 200, 200, 200, 200]);
    await until(async () => Number((await json('pools', 'list', ...own))[0].used_usd) > 1);
    expect(await json('verify-ledger')).toMatchObject({ disagreements: [] });
  });

  it('has no made-up usage any more after gatewayctl demo remove', async () => {
    const before = await json('usage', ...own);
    const { removed, requests } = await json('demo', 'remove');
    expect(removed).toBe(true);
    expect(requests).toBeGreaterThan(2_000);
    const accounts: { email: string }[] = await json('accounts', 'list');
    expect(accounts.map(({ email }) => email)).toEqual(['you@example.com']);
    expect((await json('usage', '--all')).totals).toEqual(before.totals);
    expect(await json('verify-ledger')).toMatchObject({ disagreements: [] });
    expect(await json('demo', 'remove')).toEqual({
      removed: false,
      account_id: null,
      requests: 0,
      unconfirmed_instances: [],
    });
    expect(await gatewayctl(gateway.start.dataDir, 'demo', 'remove')).toBe(
      'There is no made-up usage: nothing to remove.\n',
    );
  });
});
