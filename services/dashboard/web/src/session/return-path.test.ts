import { expect, test } from 'vitest';
import { returnPath, wasSignedIn } from './return-path.ts';

test('after a sign-in one is back on the page that asked for it', () => {
  expect(returnPath({ from: '/dashboard/usage?seatId=1' })).toBe('/dashboard/usage?seatId=1');
});

test('after a sign-in one is back on the page that a mailed link has opened', () => {
  for (const from of ['/invitation', '/verify-email']) expect(returnPath({ from })).toBe(from);
});

test('nothing but a page of the dashboard is ever gone to after a sign-in', () => {
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

test('only who was signed in until just now is told that this is over', () => {
  expect(wasSignedIn({ from: '/dashboard/usage', wasSignedIn: true })).toBe(true);
  expect(wasSignedIn({ from: '/dashboard/usage', wasSignedIn: false })).toBe(false);
  expect(wasSignedIn(null)).toBe(false);
});
