import { expect, test } from 'vitest';
import { returnPath } from './return-path.ts';

test('after a sign-in one is back on the page that asked for it', () => {
  expect(returnPath({ from: '/dashboard/usage?seatId=1' })).toBe('/dashboard/usage?seatId=1');
});

test('nothing but a page of the dashboard is ever gone to after a sign-in', () => {
  for (const from of [
    'https://elsewhere.example/',
    '//elsewhere.example',
    '/sign-in',
    '/dashboard//elsewhere',
    7,
  ]) {
    expect(returnPath({ from })).toBe('/dashboard/api-keys');
  }
  expect(returnPath(null)).toBe('/dashboard/api-keys');
});
