import { expect, test } from 'vitest';
import { readRequestsPerMinute } from './read-requests-per-minute.ts';

test('a limit is a whole number of at least 1, with or without separators', () => {
  expect(readRequestsPerMinute(' 600 ')).toBe(600);
  expect(readRequestsPerMinute('1,000')).toBe(1000);
});

test('any other text is no limit', () => {
  for (const text of ['', '0', '-5', '1.5', 'many', '1e3', '4294967296']) {
    expect(readRequestsPerMinute(text)).toBeUndefined();
  }
});
