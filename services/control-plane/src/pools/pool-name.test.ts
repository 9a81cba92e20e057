import { expect, it } from 'vitest';
import { generatedPoolName, poolName } from './pool-name.ts';

it('an unnamed pool is named by what it includes, also after a change', () => {
  const monthly = { name: poolName('5.00', 'monthly'), resetsAt: new Date() };
  expect(monthly.name).toBe('5.00 USD every month');
  expect(generatedPoolName(monthly, '8')).toBe('8 USD every month');
  expect(generatedPoolName({ name: poolName('5', 'never'), resetsAt: null }, '8.50')).toBe('8.50 USD');
});

it('a renamed pool keeps its name', () => {
  for (const name of ['Research', '5 USD for Ada', 'Included with sign-up']) {
    expect(generatedPoolName({ name, resetsAt: null }, '8')).toBeUndefined();
  }
});
