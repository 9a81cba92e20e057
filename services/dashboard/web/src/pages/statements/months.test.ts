import { expect, test } from 'vitest';
import { listMonths } from './months.ts';

test('the last 24 months in UTC are offered, the current one first', () => {
  const months = listMonths(new Date('2027-01-01T00:30:00+01:00'));
  expect(months).toHaveLength(24);
  expect(months[0]).toEqual({ value: '2026-12', label: 'December 2026' });
  expect(months[1]?.value).toBe('2026-11');
  expect(months.at(-1)?.value).toBe('2025-01');
});
