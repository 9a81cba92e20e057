import { expect, it } from 'vitest';
import { callsPerRequest } from './money-calls.ts';

it('at most one paid request in ten makes a call about money in the steady state', async () => {
  const perRequest = await callsPerRequest({ dataPlanes: 2, requests: 100, intervalMs: 0 });
  console.log(`calls about money per paid request: ${perRequest}`);
  expect(perRequest).toBeLessThanOrEqual(0.1);
});
