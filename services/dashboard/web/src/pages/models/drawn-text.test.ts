import { expect, test } from 'vitest';
import { drawnText } from './drawn-text.ts';

test('the models of a virtual one stand with the share of requests that each of them gets', () => {
  const models = [
    { model: 'acme/small', weight: 190 },
    { model: 'acme/next', weight: 10 },
  ];
  expect(drawnText(models)).toBe('Draws acme/small (95%), acme/next (5%)');
});
