import { expect, test } from 'vitest';
import { describeBars } from './describe-bars.ts';

const day = (date: number) => Date.UTC(2026, 10, date);
const count = (value: number) => `${value} requests`;

test('a chart is described by its span, its sum and its highest bar', () => {
  const bars = [
    { startMs: day(1), value: 2 },
    { startMs: day(2), value: 5 },
    { startMs: day(3), value: 0 },
  ];
  expect(describeBars('Requests', bars, 'day', count)).toBe(
    'Requests per day from Sun, Nov 1, 2026 to Tue, Nov 3, 2026: 7 requests together, ' +
      'the most on Mon, Nov 2, 2026 with 5 requests.',
  );
});

test('an empty chart is described as empty', () => {
  expect(describeBars('Requests', [{ startMs: day(1), value: 0 }], 'day', count)).toMatch(/: none\.$/);
  expect(describeBars('Requests', [], 'day', count)).toMatch(/nothing to show/);
});
