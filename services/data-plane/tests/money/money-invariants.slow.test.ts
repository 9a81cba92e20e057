import { it } from 'vitest';
import { invariantsDrill } from './money-invariants.ts';

it('all money is accounted for at every moment, whatever requests cost and however they end', {}, async () => {
  console.log(`money invariants: ${await invariantsDrill({ durationMs: 2_500, lanes: 4 })}`);
});
