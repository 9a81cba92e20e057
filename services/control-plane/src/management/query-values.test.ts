import { expect, it } from 'vitest';
import { z } from 'zod';
import { labelParameters, queryTime } from './query-values.ts';
import { readQuery } from './read-query.ts';

it('a moment is in 1970 or later, so that it is no negative number of seconds', () => {
  expect(queryTime.parse('1970-01-01T00:00:01Z')).toBe(1);
  expect(queryTime.safeParse('0000-01-01T00:00:00Z').success).toBe(false);
});

it.each([
  ['end_users=a,b', ['a', 'b']],
  ['end_users[]=a,b', ['a,b']],
  ['end_users=a,b&end_users=c', ['a,b', 'c']],
  ['end_users=', undefined],
])('%s asks for the end users %j', (query, values) => {
  const parsed = z.object(labelParameters).safeParse(readQuery(`/admin/v1/receipts?${query}`));
  expect(parsed.data?.end_users).toEqual(values);
});
