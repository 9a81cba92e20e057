import process from 'node:process';
import { expect, it } from 'vitest';
import { budgetKillDrill } from './budget-kill-drill.ts';

it('budgets are never exceeded when processes are killed under load', async () => {
  const figures = await budgetKillDrill({ covered: 300, kills: 6, lanes: 8 });
  process.stdout.write(`budget kill drill: ${figures}\n`);
  expect(figures).not.toBe('');
});
