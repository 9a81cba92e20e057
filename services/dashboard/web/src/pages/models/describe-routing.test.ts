import { expect, test } from 'vitest';
import { describeRouting } from './describe-routing.ts';

test('the models of a virtual one stand with the share of requests that each of them gets', () => {
  const models = [
    { model: 'acme/small', weight: 190 },
    { model: 'acme/next', weight: 10 },
  ];
  expect(describeRouting(models)).toBe('Routes to acme/small (95%), acme/next (5%)');
});
