import { expect, it } from 'vitest';
import { queryTime } from './query-values.ts';

it('a moment is in 1970 or later, so that it is no negative number of seconds', () => {
  expect(queryTime.parse('1970-01-01T00:00:01Z')).toBe(1);
  expect(queryTime.safeParse('0000-01-01T00:00:00Z').success).toBe(false);
});
