import { expect, test } from 'vitest';
import { listPage, parseListQuery } from './list-page.ts';

const row = (ms: number, id: string) => ({ createdAt: new Date(ms), id });

test('the page token of the last row leads to the next page', () => {
  const query = parseListQuery({ limit: 2 });
  const { rows, next } = listPage([row(1, 'a'), row(2, 'b'), row(3, 'c')], query);
  expect(rows.map(({ id }) => id)).toEqual(['a', 'b']);
  expect(parseListQuery({ limit: 2, pageToken: next.nextPageToken }).after).toEqual(row(2, 'b'));
});

test('the last page has no token, full or not', () => {
  const query = parseListQuery({ limit: 2 });
  expect(listPage([row(1, 'a'), row(2, 'b')], query).next).toEqual({});
  expect(listPage([], query)).toEqual({ rows: [], next: {} });
});

test('a page has at most 1,000 rows', () => {
  expect(parseListQuery({ limit: 0 }).limit).toBe(1_000);
  expect(() => parseListQuery({ limit: 1_001 })).toThrow('at most 1000');
});

test.each(['', 'x', Buffer.from('1.').toString('base64url'), Buffer.from('9e99.a').toString('base64url')])(
  'the page token %j of a list is refused',
  (pageToken) => {
    expect(() => parseListQuery({ limit: 1, pageToken })).toThrow('page_token');
  },
);
