import { expect, test } from 'vitest';
import { readToken } from './read-token.ts';

test('the token of a reset link is read from its fragment', () => {
  expect(readToken('#token=abc-123_X')).toBe('abc-123_X');
  expect(readToken('token=abc')).toBe('abc');
});

test('a link without a token has none', () => {
  expect(readToken('')).toBeUndefined();
  expect(readToken('#token=')).toBeUndefined();
  expect(readToken('#main')).toBeUndefined();
});
