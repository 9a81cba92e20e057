import type { PlainCatalogInput } from '@model-gateway/shared';
import { modelEntry, until, withGateway } from '@model-gateway/test-kit';
import { afterAll, describe, expect, it } from 'vitest';
import { withoutBreakers } from '../providers/without-breakers.ts';
import { addBudget, spentIn } from './budget-fixture.ts';
import { expectLedgerAgrees, NANO_PER_USD, payingKey } from './money-fixture.ts';
import { PATHS, readCut, STREAMS, type StreamPath, stepwiseCatalog } from './stepwise-catalog.ts';

const gateway = withGateway({ document: withFallback, overrides: withoutBreakers() });
afterAll(() => expectLedgerAgrees(gateway));

/** The models of each API, one of them with a fallback that is far dearer. */
function withFallback(baseUrl: string): PlainCatalogInput {
  const document = stepwiseCatalog(baseUrl);
  return {
    ...document,
    models: [
      ...document.models.map((model) =>
        model.id === 'sim/chat-pro' ? { ...model, fallbacks: ['step/dear'] } : model,
      ),
      modelEntry(
        'step/dear',
        { 'step-chat': 'sim-dear' },
        { tier: 'paid', pricing: { input_per_million_usd: '1', output_per_million_usd: '100' } },
      ),
    ],
  };
}

/** A key with plenty of money and a monthly budget. */
async function keyWithin(limitNanoUsd: bigint, scope: 'account' | 'key' = 'key') {
  const { account, keyId, rawKey } = await payingKey(gateway);
  const owner = scope === 'key' ? `key:${keyId}` : `account:${account}`;
  return { account, keyId, rawKey, budget: await addBudget(gateway.books, owner, limitNanoUsd, 'month') };
}

/** The members of the error that the budget explains. */
function explained(budget: string, limit: string, remaining: string) {
  const next = new Date();
  return {
    scope: 'key',
    budget_id: budget,
    limit_usd: limit,
    remaining_usd: remaining,
    window: 'month',
    resets_at: Date.UTC(next.getUTCFullYear(), next.getUTCMonth() + 1) / 1_000,
  };
}

function thisMonth(): string {
  return new Date().toISOString().slice(0, 7);
}

const BODIES: Record<StreamPath, object> = {
  'chat/completions': { messages: [{ role: 'user', content: 'hi' }], max_tokens: 100 },
  messages: { messages: [{ role: 'user', content: 'hi' }], max_tokens: 100 },
  responses: { input: 'hi', max_output_tokens: 100 },
};

describe('a request that a budget does not cover', () => {
  it.each(PATHS)('gets a 402 that names the budget, in the form of %s', async (path) => {
    const { budget, rawKey } = await keyWithin(100_000n);
    const { body, headers, status } = await gateway.ask(
      path,
      { ...BODIES[path], model: 'step/chat' },
      { key: rawKey },
    );
    expect(status).toBe(402);
    expect(headers.get('x-should-retry')).toBe('false');
    expect(JSON.parse(body).error).toMatchObject({
      code: 'insufficient_balance',
      ...explained(budget, '0.000100000', '0.000100000'),
      message: expect.stringContaining('the budget of this key (0.0001 USD a month) has 0.0001 USD left'),
    });
    // Free models never meet a budget.
    const free = await gateway.chat({}, { key: rawKey });
    expect(free.status).toBe(200);
    expect(await spentIn(gateway, budget)).toEqual(new Map([[expect.any(String), 0n]]));
  });

  it('is told to retry while running requests hold the rest', async () => {
    const { rawKey } = await keyWithin(300_000n);
    gateway.provider.script({ content: 'a', delay_ms: 4_000 });
    const body = { ...BODIES['chat/completions'], model: 'step/chat' };
    const running = gateway.ask('chat/completions', body, { key: rawKey });
    await until(() => gateway.provider.requests.length === 1);
    const refused = await gateway.ask('chat/completions', body, { key: rawKey });
    expect(refused.status).toBe(402);
    expect(refused.headers.get('x-should-retry')).toBeNull();
    expect(refused.headers.get('retry-after')).toBe('1');
    expect((await running).status).toBe(200);
    expect((await gateway.ask('chat/completions', body, { key: rawKey })).status).toBe(200);
  });

  it('skips fallbacks of the catalog that the budget does not cover', async () => {
    const { budget, rawKey } = await keyWithin(NANO_PER_USD / 1_000n);
    const body = { ...BODIES['chat/completions'], model: 'sim/chat-pro' };
    const served = await gateway.ask('chat/completions', body, { key: rawKey });
    expect(served.status).toBe(200);
    expect((await gateway.recordOf(served)).budgets).toEqual([`${budget}/${thisMonth()}`]);
    gateway.provider.script({ status: 500 });
    const failed = await gateway.ask('chat/completions', body, { key: rawKey });
    expect(failed.status).toBe(502);
    expect(gateway.provider.requests.map(({ bodyText }) => JSON.parse(bodyText).model)).toEqual([
      'sim-chat-pro',
      'sim-chat-pro',
    ]);
  });
});

describe('a stream whose output a budget does not cover to its end', () => {
  it.each(PATHS)('ends with an event that names the budget, in the form of %s', async (path) => {
    const { budget, rawKey } = await keyWithin(NANO_PER_USD / 50n);
    gateway.provider.script({ content: 'word '.repeat(12_000) });
    const body = { ...STREAMS[path].body, model: 'step/chat' };
    const response = await gateway.post(path, body, { key: rawKey });
    const events = await readCut(response);
    expect(response.status).toBe(200);
    const last = events.slice(events.lastIndexOf('data: {'));
    expect(last).toContain('The response ends here');
    for (const [name, value] of Object.entries(explained(budget, '0.020000000', ''))) {
      expect(last).toContain(
        name === 'remaining_usd' ? `"${name}":"0.0` : `"${name}":${JSON.stringify(value)}`,
      );
    }
    const row = await gateway.recordOf(response);
    expect(row).toMatchObject({ uncollected: 0n, client_error_code: 'insufficient_balance' });
    expect([...(await spentIn(gateway, budget)).values()]).toEqual([row.charged]);
  });
});
