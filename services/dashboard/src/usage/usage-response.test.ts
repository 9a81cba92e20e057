import type { GetUsageResponseMessage, UsageGroupMessage } from '@model-gateway/contracts';
import { perUnit } from '@model-gateway/shared';
import { describe, expect, it } from 'vitest';
import { toUsageResponse } from './usage-response.ts';
import { toUsageRows } from './usage-rows.ts';

const DAY = 86_400;

function sums(requests: number, cost: string, inputTokens = 0) {
  const units = { ...perUnit('unit', () => '0'), inputTokens: String(inputTokens), audioMs: '1500' };
  return { requests: String(requests), units, cost };
}

const key1 = { key: 'key_1', keyName: 'One', keyKind: 'issued', keyPrefix: 'gw_live_11111111' };

function group(more: Partial<UsageGroupMessage>, requests: number, cost: string): UsageGroupMessage {
  return { labels: [], ...more, sums: sums(requests, cost, 10 * requests) };
}

function page(startDay: number, days: UsageGroupMessage[][], length = 1): GetUsageResponseMessage {
  return {
    startTime: '0',
    endTime: String(3 * DAY),
    totals: sums(6, '9007199254740993000'),
    pools: [],
    buckets: days.map((groups, index) => ({
      startTime: String((startDay + index) * DAY),
      endTime: String((startDay + index + length) * DAY),
      groups,
    })),
  };
}

const byDay = [page(0, [[group({}, 3, '4000000000')], []]), page(2, [[group({}, 3, '2500000000')]])];
const byModel = page(
  0,
  [[group({ model: 'b' }, 2, '3000000000'), group({ model: 'a' }, 4, '3500000000')]],
  3,
);
const byKey = page(
  0,
  [
    [
      group(key1, 1, '1000000000'),
      group({ key: 'hidden_1' }, 2, '3000000000'),
      group({ key: 'hidden_2', keyName: 'hidden', keyKind: 'playground' }, 3, '2500000000'),
    ],
  ],
  3,
);
const byModelAndKey = [
  page(0, [
    [
      group({ model: 'a', ...key1 }, 1, '1000000000'),
      group({ model: 'b', key: 'hidden_1' }, 2, '3000000000'),
    ],
    [],
  ]),
  page(2, [[group({ model: 'a', key: 'hidden_2' }, 3, '2500000000')]]),
];

describe('the usage response', () => {
  const response = toUsageResponse(byDay, { byModel, byKey });

  it('has the buckets of all pages in order, including empty ones', () => {
    expect(response.buckets).toEqual([
      { startMs: 0, endMs: DAY * 1_000, requests: 3, costUsd: '4.000000000' },
      { startMs: DAY * 1_000, endMs: 2 * DAY * 1_000, requests: 0, costUsd: '0.000000000' },
      { startMs: 2 * DAY * 1_000, endMs: 3 * DAY * 1_000, requests: 3, costUsd: '2.500000000' },
    ]);
  });

  it('has large sums exact to a billionth of a dollar', () => {
    expect(response.totals).toMatchObject({ costUsd: '9007199254.740993000', audioSeconds: 1.5 });
  });

  it('has the most expensive model first', () => {
    expect(response.byModel.map(({ model, costUsd }) => [model, costUsd])).toEqual([
      ['a', '3.500000000'],
      ['b', '3.000000000'],
    ]);
  });

  it('has all keys of the playground in one row', () => {
    expect(response.byKey.map(({ keyId, kind, requests }) => [keyId, kind, requests])).toEqual([
      ['playground', 'playground', 5],
      ['key_1', 'issued', 1],
    ]);
  });

  it('has no keys if they are somebody else’s', () => {
    expect(toUsageResponse(byDay, { byModel }).byKey).toEqual([]);
  });
});

describe('the usage CSV', () => {
  it('has one row for each bucket, model and key', () => {
    const rows = byModelAndKey.flatMap((each) => toUsageRows(each, 'day'));
    expect(rows.map((row) => row.slice(0, 6))).toEqual([
      ['1970-01-01', 'a', 'One', 'gw_live_11111111', '1', '10'],
      ['1970-01-01', 'b', 'Playground', '', '2', '20'],
      ['1970-01-03', 'a', 'Playground', '', '3', '30'],
    ]);
  });

  it('has the start of an hour or a minute to the second', () => {
    for (const width of ['hour', 'minute'] as const) {
      const [row] = byModelAndKey.flatMap((each) => toUsageRows(each, width));
      expect(row?.[0]).toBe('1970-01-01T00:00:00Z');
    }
  });
});
