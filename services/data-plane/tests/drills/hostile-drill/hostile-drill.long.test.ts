import { it } from 'vitest';
import { hostileDrill } from './hostile-drill.ts';

it('a data plane of 512 MiB survives two minutes of all attacks at once from one hostile key, and serves the honest ones', async () => {
  await hostileDrill({ quietMs: 10_000, attackMs: 120_000 });
});
