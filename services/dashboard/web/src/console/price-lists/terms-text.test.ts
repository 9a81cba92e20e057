import { expect, it } from 'vitest';
import { exceptionsText, readExceptions } from './terms-text.ts';

it('exceptions are read as they were written, and anything but a list is refused', () => {
  const models = [
    { model: 'acme/*', factor: '1.10' },
    { model: 'acme/one', pricing: { input_per_million_usd: '1', tiers: [{ above_input_tokens: 5 }] } },
  ];
  expect(readExceptions(exceptionsText(models))).toEqual(models);
  expect(readExceptions(exceptionsText([]))).toEqual([]);
  for (const text of ['factor: 2', '- {', 'acme']) expect(readExceptions(text)).toBeUndefined();
});
