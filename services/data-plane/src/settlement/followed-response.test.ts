import { usageOf } from '@model-gateway/dialects';
import { NO_UNITS } from '@model-gateway/shared';
import { expect, it } from 'vitest';
import { type FollowedResponse, finalReport, readFollowed, withFollowed } from './followed-response.ts';
import type { SettledRequest } from './settled-request.ts';

it('a response of another data plane is reported as clamped if its last count did not fit, and only then', () => {
  const stored = { requestId: 'req_1', held: '7', isClamped: true } as Parameters<typeof finalReport>[0];
  const outcome = 'completed';
  const absurd = finalReport(stored, { usage: usageOf('provider', { outputTokens: 1e15 }), outcome });
  expect(absurd).toMatchObject({ held: 7n, isClamped: true, usageSource: 'estimated' });
  const counted = finalReport(stored, { usage: usageOf('provider', { outputTokens: 10 }), outcome });
  expect(counted).toMatchObject({ units: { outputTokens: 10 }, usageSource: 'provider' });
  expect(counted.isClamped).toBeUndefined();
});

it('a response that is handed over keeps the estimates of earlier attempts, not that of its own', () => {
  const attempt = {
    providerId: 'acme',
    outcome: 'failed',
    latencyMs: 1,
    endedAtMs: 1,
    streamed: true,
    estimatedUnits: NO_UNITS,
    estimatedCost: 7,
  } as const;
  const report: SettledRequest = {
    requestId: 'req_1',
    modelId: 'acme/large',
    capability: 'chat',
    owner: { accountId: 'acct_1' },
    keyId: 'key_1',
    usageSource: '',
    billingReason: 'upstream_failed_free',
    held: 7n,
    endedAtMs: 1,
    attempts: [attempt, attempt],
  };
  const response: FollowedResponse = {
    providerId: 'acme',
    responseId: 'resp_1',
    modelId: 'acme/large',
    headers: {},
    sinceMs: 1,
    isRequested: false,
    prompt: usageOf('estimated', {}),
    maximum: usageOf('estimated', {}),
    chargesToolCalls: false,
  };
  const provisional = withFollowed(report, response);
  const handedOver = readFollowed(provisional.followed ?? '');
  for (const attempts of [provisional.attempts, handedOver?.report.attempts])
    expect(attempts?.map(({ estimatedCost }) => estimatedCost)).toEqual([7, undefined]);
});
