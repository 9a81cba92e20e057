import { it } from 'vitest';
import { killDrill } from './kill-drill.ts';

it('kill -9 of Postgres, a control plane and both data planes: nothing is charged twice, nothing held for ever', async () => {
  await killDrill({
    settlement: ['acknowledged', 'background'],
    steps: ['unsettled', 'control-plane', 'data-plane'],
    overlapping: false,
    lanes: 10,
  });
});
