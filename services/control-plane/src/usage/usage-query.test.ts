import type { GetUsageRequestMessage } from '@model-gateway/contracts';
import { expect, test } from 'vitest';
import { parseUsageQuery } from './usage-query.ts';

const valid: GetUsageRequestMessage = {
  owner: { accountId: 'acct_a' },
  startTime: '119',
  endTime: '301',
  bucketWidth: 60,
  groupBy: ['model', 'key', 'model'],
  models: [],
  labels: [],
  limit: 60,
};

test('the period is widened to whole minutes', () => {
  expect(parseUsageQuery(valid, 0)).toEqual({
    owner: { accountId: 'acct_a', seatId: null, teamId: null },
    period: { start: 60, end: 360 },
    width: 60,
    groupBy: new Set(['model', 'key']),
    labels: [],
    labelFilters: [],
    isSummed: false,
    models: [],
    limit: 60,
    pageStart: undefined,
    after: undefined,
  });
  expect(parseUsageQuery({ ...valid, startTime: '60', endTime: '360' }, 0).period).toEqual({
    start: 60,
    end: 360,
  });
});

test.each<[string, Partial<GetUsageRequestMessage>, RegExp]>([
  ['no owner', { owner: null }, /keys belong to/],
  ['an empty period', { startTime: '301' }, /start_time must be before end_time/],
  ['a period that ends before it starts', { startTime: '400' }, /start_time must be before end_time/],
  ['a time before 1970', { startTime: '-1' }, /start_time must be Unix seconds/],
  ['a time in milliseconds', { endTime: '1767225600000' }, /end_time must be Unix seconds/],
  ['another width', { bucketWidth: 61 }, /bucket_width must be one of 60, 3600, 86400 seconds/],
  ['no limit', { limit: 0 }, /limit must be 1 to 1440 for buckets of 60 seconds/],
  ['a limit over that of the width', { bucketWidth: 86_400, limit: 367 }, /limit must be 1 to 366/],
  ['another grouping', { groupBy: ['model', 'team'] }, /group_by takes model, key, capability, not "team"/],
  ['too many models', { models: Array.from({ length: 101 }, () => 'm') }, /at most 100/],
  ['a page before 1970', { pageStart: '-60' }, /page_start must be Unix seconds/],
])('%s is refused with an explanation', (_name, change, message) => {
  expect(() => parseUsageQuery({ ...valid, ...change }, 0)).toThrow(message);
});

test('the period is widened to whole hours where minutes are deleted', () => {
  const day = 86_400;
  const old = {
    ...valid,
    startTime: String(day - 7_300),
    endTime: String(day - 60),
    bucketWidth: 3_600,
    limit: 1,
  };
  expect(parseUsageQuery(old, day).period).toEqual({ start: day - 10_800, end: day });
  expect(parseUsageQuery({ ...old, endTime: String(day + 90) }, day).period).toEqual({
    start: day - 10_800,
    end: day + 120,
  });
  expect(() => parseUsageQuery({ ...old, bucketWidth: 60 }, day)).toThrow(
    /by the minute goes back to 1970-01-02; ask for buckets of an hour/,
  );
});
