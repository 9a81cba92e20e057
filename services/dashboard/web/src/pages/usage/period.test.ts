import { describe, expect, test } from 'vitest';
import { choiceOf, periodOf, utcDay } from './period.ts';

const now = Date.UTC(2026, 10, 21, 14, 5, 9);
const day = (date: string) => Date.parse(date);

test('30 days are whole UTC days that end with today', () => {
  expect(periodOf({ kind: '30d' }, now)).toEqual({
    fromMs: day('2026-10-23'),
    toMs: day('2026-11-22'),
    width: 'day',
    isLive: true,
  });
});

test('this month begins with its first UTC day', () => {
  expect(periodOf({ kind: 'month' }, now)).toMatchObject({ fromMs: day('2026-11-01'), width: 'day' });
});

test('today begins at midnight in the reader’s time zone and is shown by the hour', () => {
  const period = periodOf({ kind: 'today' }, now);
  expect(new Date(period?.fromMs ?? 0).getHours()).toBe(0);
  expect(period).toMatchObject({ toMs: Date.UTC(2026, 10, 21, 15), width: 'hour', isLive: true });
});

test('the last hour has sixty minutes', () => {
  const period = periodOf({ kind: 'hour' }, now);
  expect(period).toMatchObject({ toMs: Date.UTC(2026, 10, 21, 14, 6), width: 'minute' });
  expect((period?.toMs ?? 0) - (period?.fromMs ?? 0)).toBe(3_600_000);
});

test('a period stays the same until the next bucket begins', () => {
  expect(periodOf({ kind: 'hour' }, now + 40_000)).toEqual(periodOf({ kind: 'hour' }, now));
  expect(periodOf({ kind: 'hour' }, now + 60_000)).not.toEqual(periodOf({ kind: 'hour' }, now));
});

describe('chosen dates', () => {
  test('include the last day, by the hour for two days, by the day for more', () => {
    expect(periodOf({ kind: 'custom', from: '2026-11-01', to: '2026-11-02' }, now)).toEqual({
      fromMs: day('2026-11-01'),
      toMs: day('2026-11-03'),
      width: 'hour',
      isLive: false,
    });
    expect(periodOf({ kind: 'custom', from: '2026-11-01', to: '2026-11-03' }, now)).toMatchObject({
      width: 'day',
    });
  });

  test('in the future are cut at the end of today, and are live', () => {
    expect(periodOf({ kind: 'custom', from: '2026-11-20', to: '2027-01-01' }, now)).toMatchObject({
      toMs: day('2026-11-22'),
      isLive: true,
    });
  });

  test.each([
    ['2026-11-05', '2026-11-01'],
    ['2026-13-01', '2026-11-01'],
    ['', '2026-11-01'],
    ['2027-01-01', '2027-01-02'],
    ['2025-01-01', '2026-11-01'],
  ])('from %s to %s are invalid', (from, to) =>
    expect(periodOf({ kind: 'custom', from, to }, now)).toBeUndefined(),
  );
});

test('an unknown range in the URL means 30 days', () => {
  expect(choiceOf(new URLSearchParams('range=all'))).toEqual({ kind: '30d' });
  expect(choiceOf(new URLSearchParams('range=custom&from=2026-11-01&to=2026-11-02'))).toEqual({
    kind: 'custom',
    from: '2026-11-01',
    to: '2026-11-02',
  });
});

test('utcDay returns the UTC date of a time', () => expect(utcDay(now)).toBe('2026-11-21'));
