import { it } from 'vitest';
import { invariantsDrill } from './money-invariants.ts';

it('all money is accounted for at every moment of three minutes, whatever requests cost and however they end', async () => {
  console.log(`money invariants: ${await invariantsDrill({ durationMs: 180_000, lanes: 6 })}`);
});
