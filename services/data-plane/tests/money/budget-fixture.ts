import { type BudgetWindow, budgetId } from '@model-gateway/shared/rules';
import { type Books, openBooks, type TestGateway, until } from '@model-gateway/test-kit';
import { expect } from 'vitest';

/** Stores a budget. Call this before its owner's key is first used. @returns its id */
export async function addBudget(
  { query }: Pick<Books, 'query'>,
  owner: string,
  limitNanoUsd: bigint,
  window: BudgetWindow = 'total',
): Promise<string> {
  const id = budgetId(owner, window, 0);
  await query(`INSERT INTO budgets (id, owner, position, "limit", "window") VALUES ($1, $2, 0, $3, $4)`, [
    id,
    owner,
    String(limitNanoUsd),
    window,
  ]);
  return id;
}

/** Waits until nothing is held. @returns what was spent in each window, by its id without the budget's */
export async function spentIn(gateway: Pick<TestGateway, 'databaseUrl'>, budget: string) {
  await using books = openBooks(gateway.databaseUrl);
  const windows = () =>
    books.query('SELECT id, held, spent FROM budget_windows WHERE budget_id = $1 ORDER BY id', [budget]);
  await until(async () => (await windows()).every(({ held }) => held === 0n));
  return new Map(
    (await windows()).map(({ id, spent }) => [String(id).slice(budget.length + 1), BigInt(String(spent))]),
  );
}

/** Expects all pools to have plenty: then only budgets have refused anything. */
export async function expectPlenty({ databaseUrl }: Pick<TestGateway, 'databaseUrl'>): Promise<void> {
  await using books = openBooks(databaseUrl);
  for (const { id, included, remaining } of await books.pools()) {
    expect(remaining > included / 2n, id).toBe(true);
  }
}
