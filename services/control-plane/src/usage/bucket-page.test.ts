import { expect, test } from 'vitest';
import { bucketPage } from './bucket-page.ts';

const HOUR = 3_600;
const period = { start: 10 * HOUR + 60, end: 14 * HOUR - 60 };

test("buckets begin at multiples of the width; the period's edges cut the first and the last", () => {
  expect(bucketPage(period, { width: HOUR, limit: 100, pageStart: undefined })).toEqual({
    buckets: [
      { start: 10 * HOUR + 60, end: 11 * HOUR },
      { start: 11 * HOUR, end: 12 * HOUR },
      { start: 12 * HOUR, end: 13 * HOUR },
      { start: 13 * HOUR, end: 14 * HOUR - 60 },
    ],
    nextPageStart: undefined,
  });
});

test('pages of buckets follow each other without gap or overlap, and the last one has no successor', () => {
  const first = bucketPage(period, { width: HOUR, limit: 3, pageStart: undefined });
  expect(first.buckets).toHaveLength(3);
  expect(first.nextPageStart).toBe(13 * HOUR);
  const second = bucketPage(period, { width: HOUR, limit: 3, pageStart: first.nextPageStart });
  expect(second).toEqual({
    buckets: [{ start: 13 * HOUR, end: 14 * HOUR - 60 }],
    nextPageStart: undefined,
  });
  const exact = bucketPage({ start: 0, end: 3 * HOUR }, { width: HOUR, limit: 3, pageStart: 0 });
  expect(exact.nextPageStart).toBeUndefined();
});

test('a page may begin anywhere; past the end it is empty', () => {
  const within = bucketPage(period, { width: HOUR, limit: 1, pageStart: 11 * HOUR + 1 });
  expect(within.buckets).toEqual([{ start: 12 * HOUR, end: 13 * HOUR }]);
  expect(bucketPage(period, { width: HOUR, limit: 1, pageStart: 99 * HOUR })).toEqual({
    buckets: [],
    nextPageStart: undefined,
  });
});
