import { expect, it } from 'vitest';
import { cutPage } from './cut-page.ts';

const buckets = [0, 60, 120].map((start) => ({ start, end: start + 60 }));
const row = (start: number, name: string) => ({ bucket: new Date(start * 1_000), name });
const names = (page: ReturnType<typeof cutPage<ReturnType<typeof row>>>) =>
  page.buckets.map(({ start, groups }) => [start, groups.map(({ name }) => name).join('')]);

it('a usage page has every bucket, empty ones too, where all rows fit', () => {
  const page = cutPage({ buckets, nextPageStart: 180 }, [row(0, 'a'), row(120, 'b')], 2);
  expect(names(page)).toEqual([
    [0, 'a'],
    [60, ''],
    [120, 'b'],
  ]);
  expect(page).toMatchObject({ nextStart: 180, nextAfter: undefined });
});

it('a usage page ends before the first bucket that does not fit', () => {
  const rows = [row(0, 'a'), row(120, 'b'), row(120, 'c')];
  const page = cutPage({ buckets, nextPageStart: undefined }, rows, 2);
  expect(names(page)).toEqual([
    [0, 'a'],
    [60, ''],
  ]);
  expect(page).toMatchObject({ nextStart: 120, nextAfter: undefined });
});

it('a usage page cuts a bucket that is too large, and says after which group it continues', () => {
  const rows = [row(0, 'a'), row(0, 'b'), row(0, 'c')];
  const page = cutPage({ buckets, nextPageStart: undefined }, rows, 2);
  expect(names(page)).toEqual([[0, 'ab']]);
  expect(page).toMatchObject({ nextStart: 0, nextAfter: { name: 'b' } });
});
