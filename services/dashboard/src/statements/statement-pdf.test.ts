import { expect, it } from 'vitest';
import { statementPdf } from './statement-pdf.ts';

const USD = '0.000000000';

it('a statement of 600 keys stops nothing else for long', async () => {
  const keys = Array.from({ length: 600 }, (_, index) => ({
    id: `key_${index}`,
    name: `Key ${index}`,
    team: null,
    requests: 1,
    amountUsd: USD,
  }));
  const balances = { openingUsd: USD, openingUnlimited: false, closingUsd: USD, closingUnlimited: false };
  const sums = { ...balances, lapsedUsd: USD, spentUsd: USD, spentUnlimitedUsd: USD, otherMonthUsd: USD };
  const owner = { accountId: 'acct', email: 'ada@example.com', name: 'Ada', month: '2026-10' };
  let turns = 0;
  const counting = setInterval(() => turns++, 0);
  const pdf = await statementPdf(
    { ...owner, ...sums, isComplete: true, credits: [], models: [], keys },
    'Acme',
  );
  clearInterval(counting);
  expect(pdf.length).toBeGreaterThan(50_000);
  expect(turns).toBeGreaterThan(8);
});
