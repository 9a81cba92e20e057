import { expect, test } from 'vitest';
import { returnPath, wasSignedIn } from './return-path.ts';

test('a sign-in returns to the page that required it', () => {
  expect(returnPath({ from: '/dashboard/usage?seatId=1' })).toBe('/dashboard/usage?seatId=1');
});

test('a sign-in returns to the page of a mailed link', () => {
  for (const from of ['/invitation', '/membership', '/verify-email']) expect(returnPath({ from })).toBe(from);
});

test('a sign-in never leads to another site or an unknown page', () => {
  for (const from of [
    'https://elsewhere.example/',
    '//elsewhere.example',
    '/sign-in',
    '/invitation/elsewhere',
    '/invitation#token=1',
    '/dashboard//elsewhere',
    7,
  ]) {
    expect(returnPath({ from })).toBe('/dashboard/api-keys');
  }
  expect(returnPath(null)).toBe('/dashboard/api-keys');
});

test('only a session that has just ended counts as signed in before', () => {
  expect(wasSignedIn({ from: '/dashboard/usage', wasSignedIn: true })).toBe(true);
  expect(wasSignedIn({ from: '/dashboard/usage', wasSignedIn: false })).toBe(false);
  expect(wasSignedIn(null)).toBe(false);
});
