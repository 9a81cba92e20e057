import { it } from 'vitest';
import { hostileDrill } from './hostile-drill.ts';

it('a data plane of 512 MiB lives through two minutes of everything at once from one hostile key', async () => {
  await hostileDrill({ quietMs: 10_000, attackMs: 120_000 });
});
