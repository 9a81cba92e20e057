import { untilWithin, withGateway } from '@model-gateway/test-kit';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { addBudget, spentIn } from './budget-fixture.ts';
import { expectLedgerAgrees, NANO_PER_USD, payingKey } from './money-fixture.ts';
import { PRICES, readCut, STREAMS, stepwiseCatalog } from './stepwise-catalog.ts';

const gateway = withGateway({ document: stepwiseCatalog });
afterAll(() => expectLedgerAgrees(gateway));
afterEach(() => {
  vi.restoreAllMocks();
});

async function keyWithin() {
  const { keyId, rawKey } = await payingKey(gateway);
  return { rawKey, budget: await addBudget(gateway.books, `key:${keyId}`, NANO_PER_USD, 'month') };
}

describe('the end of a window', () => {
  const realNow = Date.now.bind(Date);
  const nextMonth = () => {
    const now = new Date(realNow());
    return Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1);
  };
  const setClock = (nowMs: number) => {
    const shiftMs = nowMs - realNow();
    vi.spyOn(Date, 'now').mockImplementation(() => realNow() + shiftMs);
  };

  it('leaves a running stream in the window in which it was reserved, with all that it still needs', async () => {
    const { budget, rawKey } = await keyWithin();
    const content = 'word '.repeat(3_500);
    gateway.provider.script({ content, token_delay_ms: 0.1 });
    const response = await gateway.post(
      'chat/completions',
      { ...STREAMS['chat/completions'].body, model: 'step/chat' },
      { key: rawKey },
    );
    const events = readCut(response);
    setClock(nextMonth() + 1_000);
    expect((await events).length).toBeGreaterThan(content.length);
    const row = await gateway.recordOf(response);
    expect(row.client_error_code).toBeNull();
    const spent = [...(await spentIn(gateway, budget))];
    expect(spent.map(([, nanoUsd]) => nanoUsd)).toEqual([row.charged]);
    expect(spent[0]?.[0]).toBe(new Date().toISOString().slice(0, 7));
    // 4,096 tokens of output were reserved before, the others in the new month.
    expect(BigInt(String(row.held))).toBeGreaterThan(8_192n * PRICES.output);
  });

  it('returns unused money of the old window at once, before its data plane counts as idle', async () => {
    const { budget, rawKey } = await keyWithin();
    const body = { model: 'step/chat', messages: [{ role: 'user', content: 'hi' }], max_tokens: 100 };
    await gateway.recordOf(await gateway.ask('chat/completions', body, { key: rawKey }));
    const held = async () => {
      const [row] = await gateway.books.query(
        'SELECT sum(held)::bigint AS held FROM budget_windows WHERE budget_id = $1',
        [budget],
      );
      return row?.held;
    };
    expect(await held()).not.toBe(0n);
    setClock(nextMonth());
    await untilWithin(3_000, async () => (await held()) === 0n);
  });
});
