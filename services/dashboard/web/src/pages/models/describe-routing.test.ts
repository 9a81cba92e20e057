import { expect, test } from 'vitest';
import { describeRouting } from './describe-routing.ts';

test('a virtual model is described by its models and their shares of the requests', () => {
  const models = [
    { model: 'acme/small', weight: 190 },
    { model: 'acme/next', weight: 10 },
  ];
  expect(describeRouting(models)).toBe('Routes to acme/small (95%), acme/next (5%)');
});
