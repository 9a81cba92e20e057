import { it } from 'vitest';
import { killDrill } from './kill-drill.ts';

it('killing Postgres, a control plane and both data planes charges nothing twice and holds nothing for ever', async () => {
  await killDrill({
    settlement: ['acknowledged', 'background'],
    steps: ['unsettled', 'control-plane', 'data-plane'],
    overlapping: false,
    lanes: 10,
  });
});
