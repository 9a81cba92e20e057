import { it } from 'vitest';
import { reconciliationDrill } from './reconciliation-drill.ts';

it('finds what explains every difference between a bill and the records of 100,000 requests', async () => {
  console.log(`reconciled: ${await reconciliationDrill(100_000)}`);
});
