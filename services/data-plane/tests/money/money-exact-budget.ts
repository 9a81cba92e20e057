import type { TestGateway } from '@model-gateway/test-kit';
import { expect } from 'vitest';
import { expectPlenty, spentIn } from './budget-fixture.ts';
import { IMAGE, IMAGE_NANO_USD, runLoad } from './money-exact-pool.ts';
import { expectLedgerAgrees, nano, usd, warmKey } from './money-fixture.ts';
import type { MoneyLoad } from './money-load.ts';

export interface ExactBudgetDrill extends Omit<MoneyLoad, 'path' | 'body'> {
  /** Budgets that cover exactly `covered` requests together, and the window in which all of them count. */
  budgets: readonly { id: string; window: string; images: number }[];
  covered: number;
}

/**
 * Far more requests at once than budgets cover, each of which costs its hold, with pools that have plenty:
 * exactly those that are covered succeed, and the budgets are spent to the last nano-USD.
 * @returns figures for the log
 */
export async function exactBudgetDrill(
  gateway: TestGateway,
  { budgets, covered, ...load }: ExactBudgetDrill,
): Promise<string> {
  for (const url of load.urls) for (const rawKey of load.rawKeys) await warmKey(url, rawKey);
  const { statuses, refusals, others, retries, tookMs } = await runLoad({ ...load, ...IMAGE });
  // A machine that stops a data plane for 10 s takes its holds away: then nothing below would be a mistake.
  expect(gateway.logText()).not.toContain('freed abandoned allowances');
  expect(others.slice(0, 3)).toEqual([]);
  expect(statuses).toEqual({ 200: covered, 402: load.requests - covered });
  for (const [needed, available] of refusals) {
    expect(needed).toBe(usd(IMAGE_NANO_USD));
    expect(nano(available ?? '')).toBeLessThan(IMAGE_NANO_USD);
  }
  for (const { id, window, images } of budgets) {
    expect(await spentIn(gateway, id), id).toEqual(new Map([[window, BigInt(images) * IMAGE_NANO_USD]]));
  }
  await expectLedgerAgrees(gateway);
  await expectPlenty(gateway);
  const images = gateway.provider.requests.filter(({ path }) => path.endsWith('/images/generations'));
  expect(images).toHaveLength(covered);
  return `${load.requests} requests in ${Math.round(tookMs)} ms: ${covered} × 200, retries after 503: ${JSON.stringify(retries)}`;
}
