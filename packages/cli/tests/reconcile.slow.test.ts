import { it } from 'vitest';
import { reconciliationDrill } from './reconciliation-drill.ts';

it('finds what explains every difference between a bill and the records of a day', async () => {
  console.log(`reconciled: ${await reconciliationDrill(1_500)}`);
});
