import { expect, it } from 'vitest';
import { asksForBeta } from './messages-betas.ts';

it.each([
  ['/v1/messages?beta=true', true],
  ['/v1/messages?a=b&beta=true&c=d', true],
  ['/v1/messages', false],
  ['/v1/messages?beta=false', false],
  ['/v1/messages?beta=truely', false],
  ['/v1/messages?alphabeta=true', false],
])('the query of %s requests the beta: %s', (url, asked) => {
  expect(asksForBeta({ url })).toBe(asked);
});

it('a URL with many question marks is read only once', () => {
  expect(asksForBeta({ url: `/v1/messages${'?'.repeat(2_000_000)}` })).toBe(false);
});
