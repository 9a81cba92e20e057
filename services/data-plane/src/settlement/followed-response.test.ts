import { usageOf } from '@model-gateway/dialects';
import { expect, it } from 'vitest';
import { finalReport } from './followed-response.ts';

it('a response of another data plane is reported as clamped if its last count did not fit, and only then', () => {
  const stored = { requestId: 'req_1', held: '7', isClamped: true } as Parameters<typeof finalReport>[0];
  const outcome = 'completed';
  const absurd = finalReport(stored, { usage: usageOf('provider', { outputTokens: 1e15 }), outcome });
  expect(absurd).toMatchObject({ held: 7n, isClamped: true, usageSource: 'estimated' });
  const counted = finalReport(stored, { usage: usageOf('provider', { outputTokens: 10 }), outcome });
  expect(counted).toMatchObject({ units: { outputTokens: 10 }, usageSource: 'provider' });
  expect(counted.isClamped).toBeUndefined();
});
