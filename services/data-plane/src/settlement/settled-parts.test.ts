import { type Usage, usageOf } from '@model-gateway/dialects';
import { NO_UNITS, priceOf } from '@model-gateway/shared';
import { expect, it } from 'vitest';
import type { RoutedModel } from '../catalog/model-table.ts';
import type { Charge, RequestRecord } from '../request-record.ts';
import { settledRequestOf } from './settled-request-of.ts';

const PRICE = priceOf({ input_per_million_usd: '3', output_per_million_usd: '15' });
const model: RoutedModel = {
  id: 'acme/large',
  capability: 'chat',
  tier: 'paid',
  contextLength: undefined,
  maxOutputTokens: undefined,
  mediaPartTokens: 1_600,
  filePartTokens: 1_600,
  price: { version: 3, selling: PRICE, cost: PRICE },
  upstreams: [],
};
const record: RequestRecord = {
  id: 'req_1',
  clientRequestId: undefined,
  route: '/v1/chat/completions',
  startedAtMs: 0,
  clientIp: '127.0.0.1',
  key: {
    keyId: 'key_1',
    accountId: 'acct_1',
    seatId: undefined,
    teamId: undefined,
    payer: [{ kind: 'account', id: 'acct_1' }],
    limits: { freePerMinute: 1, paidPerMinute: 1, readsPerMinute: 1, concurrentStreams: 1, teamPerMinute: 1 },
    expiresAtMs: undefined,
    rules: undefined,
    tags: {},
    endUsers: undefined,
    contentsKeyId: undefined,
    priceListId: undefined,
    cache: undefined,
  },
  model,
  streamed: false,
  isServed: true,
  attempts: [
    {
      providerId: 'acme',
      upstreamModel: 'large',
      credentialEnv: undefined,
      streamed: false,
      startedAtMs: 0,
      endedAtMs: 1,
      outcome: 'completed',
    },
  ],
};

const completed = (usage: Usage): Charge => ({ usage, outcome: 'completed' });

it('a request with parts also carries the sum of their units', () => {
  const other = { id: 'acme/small', price: undefined };
  const settled = settledRequestOf(
    record,
    completed({
      ...usageOf('provider', { inputTokens: 100 }),
      parts: [
        { model, units: { ...NO_UNITS, inputTokens: 100 } },
        { model: other, units: { ...NO_UNITS, inputTokens: 30, outputTokens: 7 } },
      ],
    }),
  );
  expect(settled?.units).toEqual({ ...NO_UNITS, inputTokens: 130, outputTokens: 7 });
  expect(settled?.parts).toEqual([
    { modelId: 'acme/large', priceVersion: 3, units: { ...NO_UNITS, inputTokens: 100 } },
    { modelId: 'acme/small', units: { ...NO_UNITS, inputTokens: 30, outputTokens: 7 } },
  ]);
});

it('a request of one model has no parts', () => {
  const settled = settledRequestOf(record, completed(usageOf('provider', { inputTokens: 100 })));
  expect(settled?.units).toMatchObject({ inputTokens: 100 });
  expect(settled?.parts).toBeUndefined();
});

it('a request that was served without a provider is settled with its usage and no attempts', () => {
  const cached: RequestRecord = { ...record, attempts: [], clientStatus: 200 };
  expect(settledRequestOf(cached, completed(usageOf('gateway', { inputTokens: 100 })))).toMatchObject({
    units: { inputTokens: 100 },
    usageSource: 'gateway',
    billingReason: 'completed',
    clientStatus: 200,
    endedAtMs: expect.any(Number),
    attempts: [],
  });
});

it('a request that was refused is not settled', () => {
  const { isServed: _isServed, ...refused } = record;
  expect(
    settledRequestOf({ ...refused, attempts: [] }, { usage: undefined, outcome: undefined }),
  ).toBeUndefined();
});

it('an estimate of the last attempt is left out if its usage is charged, and only then', () => {
  const [attempt] = record.attempts;
  if (attempt === undefined) throw new Error('there is no attempt');
  const estimated = { ...attempt, estimatedUnits: { ...NO_UNITS, inputTokens: 5 }, estimatedCost: 15_000 };
  const failed: RequestRecord = { ...record, attempts: [estimated, estimated] };
  const costs = (charge: Charge) =>
    settledRequestOf(failed, charge)?.attempts.map(({ estimatedCost }) => estimatedCost);
  expect(costs({ usage: undefined, outcome: 'failed' })).toEqual([15_000, 15_000]);
  const charged: Charge = { usage: usageOf('estimated', { inputTokens: 5 }), outcome: 'failed' };
  expect(costs(charged)).toEqual([15_000, undefined]);
  expect(settledRequestOf(failed, charged)?.attempts.at(-1)?.estimatedUnits).toBeUndefined();
});
