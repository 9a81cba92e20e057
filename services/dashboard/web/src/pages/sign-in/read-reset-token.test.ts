import { expect, test } from 'vitest';
import { readResetToken } from './read-reset-token.ts';

test('the token of a reset link is read from its fragment', () => {
  expect(readResetToken('#token=abc-123_X')).toBe('abc-123_X');
  expect(readResetToken('token=abc')).toBe('abc');
});

test('a link without a token is told from one with it', () => {
  expect(readResetToken('')).toBeUndefined();
  expect(readResetToken('#token=')).toBeUndefined();
  expect(readResetToken('#main')).toBeUndefined();
});
