import { describe, expect, test } from 'vitest';
import { timeTicks } from './time-ticks.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const midnight = new Date(2026, 10, 21).getTime();
const days = (count: number) =>
  Array.from({ length: count }, (_, index) => Date.UTC(2026, 10, 21) - (count - 1 - index) * DAY_MS);
const utcDays = (ticks: readonly number[]) => ticks.map((ms) => new Date(ms).toISOString().slice(5, 10));

describe('the labels of the time axis', () => {
  test('are round hours and minutes of the reader’s clock', () => {
    const hours = Array.from({ length: 24 }, (_, index) => midnight + index * HOUR_MS);
    expect(timeTicks(hours, 'hour').map((ms) => new Date(ms).getHours())).toEqual([
      0, 3, 6, 9, 12, 15, 18, 21,
    ]);
    const minutes = Array.from({ length: 60 }, (_, index) => midnight + (index + 13) * 60_000);
    expect(timeTicks(minutes, 'minute').map((ms) => new Date(ms).getMinutes())).toEqual([
      20, 30, 40, 50, 0, 10,
    ]);
  });

  test('are days at equal distances that end with the newest, or first days of months over a year', () => {
    expect(timeTicks(days(7), 'day')).toEqual(days(7));
    expect(utcDays(timeTicks(days(30), 'day'))).toEqual([
      '10-27',
      '11-01',
      '11-06',
      '11-11',
      '11-16',
      '11-21',
    ]);
    expect(utcDays(timeTicks(days(365), 'day'))).toEqual([
      '01-01',
      '03-01',
      '05-01',
      '07-01',
      '09-01',
      '11-01',
    ]);
  });

  test('are one to eight', () => {
    for (let count = 1; count <= 366; count++) {
      const ticks = timeTicks(days(count), 'day');
      expect(ticks.length, `${count} days`).toBeGreaterThanOrEqual(1);
      expect(ticks.length, `${count} days`).toBeLessThanOrEqual(8);
    }
  });
});
