import { describe, expect, it } from 'vitest';
import { budgetOfWindowId, budgetWindowId, isTimezone, windowAt } from './budget-window.ts';
import { type BudgetWindow, WEEK_DAYS, type WeekDay } from './rules.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

function windowOf(window: BudgetWindow, timezone: string, at: string, weekStarts: WeekDay = 'monday') {
  const { id, startsAtMs, endsAtMs } = windowAt(window, { timezone, weekStarts }, Date.parse(at));
  return { id, hours: (endsAtMs - startsAtMs) / HOUR, ends: new Date(endsAtMs).toISOString() };
}

describe('a window of a budget', () => {
  it.each<[BudgetWindow, string, string, string, number, string]>([
    ['day', 'UTC', '2026-11-26T23:59:59.999Z', '2026-11-26', 24, '2026-11-27T00:00:00.000Z'],
    ['day', 'UTC', '2026-11-27T00:00:00.000Z', '2026-11-27', 24, '2026-11-28T00:00:00.000Z'],
    // Summer time begins and ends.
    ['day', 'Europe/Berlin', '2026-03-29T05:00:00Z', '2026-03-29', 23, '2026-03-29T22:00:00.000Z'],
    ['day', 'Europe/Berlin', '2026-10-25T05:00:00Z', '2026-10-25', 25, '2026-10-25T23:00:00.000Z'],
    ['day', 'Australia/Lord_Howe', '2026-10-03T18:00:00Z', '2026-10-04', 23.5, '2026-10-04T13:00:00.000Z'],
    ['day', 'America/New_York', '2026-11-01T12:00:00Z', '2026-11-01', 25, '2026-11-02T05:00:00.000Z'],
    // The day begins at 01:00, because there is no midnight.
    ['day', 'Africa/Cairo', '2026-04-24T12:00:00Z', '2026-04-24', 23, '2026-04-24T21:00:00.000Z'],
    // Time zones that are 14 hours ahead and 11 behind; 12 behind has no DST.
    ['day', 'Pacific/Kiritimati', '2026-11-26T10:00:00Z', '2026-11-27', 24, '2026-11-27T10:00:00.000Z'],
    ['day', 'Pacific/Niue', '2026-11-26T10:59:59Z', '2026-11-25', 24, '2026-11-26T11:00:00.000Z'],
    ['day', 'Etc/GMT+12', '2026-11-26T11:59:59Z', '2026-11-25', 24, '2026-11-26T12:00:00.000Z'],
    ['day', 'Etc/GMT-14', '2026-11-26T10:00:00Z', '2026-11-27', 24, '2026-11-27T10:00:00.000Z'],
    ['day', 'Asia/Kathmandu', '2026-11-26T18:15:00Z', '2026-11-27', 24, '2026-11-27T18:15:00.000Z'],
    // Leap years.
    ['month', 'UTC', '2028-02-29T12:00:00Z', '2028-02', 29 * 24, '2028-03-01T00:00:00.000Z'],
    ['month', 'UTC', '2027-02-28T23:59:59Z', '2027-02', 28 * 24, '2027-03-01T00:00:00.000Z'],
    ['day', 'UTC', '2028-02-29T12:00:00Z', '2028-02-29', 24, '2028-03-01T00:00:00.000Z'],
    ['month', 'Europe/Berlin', '2026-10-31T23:30:00Z', '2026-11', 30 * 24, '2026-11-30T23:00:00.000Z'],
    ['month', 'Europe/Berlin', '2026-03-15T00:00:00Z', '2026-03', 31 * 24 - 1, '2026-03-31T22:00:00.000Z'],
    // Weeks across years, and across a change of summer time.
    ['week', 'UTC', '2026-12-31T12:00:00Z', '2026-12-28w', 7 * 24, '2027-01-04T00:00:00.000Z'],
    ['week', 'UTC', '2027-01-03T23:59:59Z', '2026-12-28w', 7 * 24, '2027-01-04T00:00:00.000Z'],
    ['week', 'Europe/Berlin', '2026-10-25T20:00:00Z', '2026-10-19w', 7 * 24 + 1, '2026-10-25T23:00:00.000Z'],
  ])('of a %s in %s contains %s', (window, timezone, at, id, hours, ends) => {
    expect(windowOf(window, timezone, at)).toEqual({ id, hours, ends });
  });

  it('of a total has no end', () => {
    expect(windowAt('total', { timezone: 'UTC', weekStarts: 'monday' }, 0)).toEqual({
      id: 'total',
      startsAtMs: Number.NEGATIVE_INFINITY,
      endsAtMs: Number.POSITIVE_INFINITY,
    });
  });

  it.each(WEEK_DAYS)('of a week that starts on %s begins on that day', (weekStarts) => {
    for (let day = 0; day < 14; day++) {
      const atMs = Date.parse('2026-12-24T15:00:00Z') + day * DAY;
      const { startsAtMs, endsAtMs } = windowAt('week', { timezone: 'UTC', weekStarts }, atMs);
      expect(WEEK_DAYS[(new Date(startsAtMs).getUTCDay() + 6) % 7]).toBe(weekStarts);
      expect(startsAtMs).toBeLessThanOrEqual(atMs);
      expect(endsAtMs).toBeGreaterThan(atMs);
    }
  });

  it.each(['Europe/Berlin', 'America/St_Johns', 'Pacific/Apia', 'Africa/Cairo', 'Antarctica/Troll'])(
    'ends in %s exactly where the next one begins, for three years',
    (timezone) => {
      for (const window of ['day', 'week', 'month'] as const) {
        let bounds = windowAt(window, { timezone, weekStarts: 'sunday' }, Date.parse('2026-01-01T12:00:00Z'));
        while (bounds.endsAtMs < Date.parse('2029-01-01T00:00:00Z')) {
          const next = windowAt(window, { timezone, weekStarts: 'sunday' }, bounds.endsAtMs);
          expect(next.startsAtMs).toBe(bounds.endsAtMs);
          const before = windowAt(window, { timezone, weekStarts: 'sunday' }, bounds.endsAtMs - 1);
          expect(before.id).toBe(bounds.id);
          expect(next.id).not.toBe(bounds.id);
          bounds = next;
        }
      }
    },
  );

  it('of a week is one of two, on whatever day weeks start: changing that day gives no third budget', () => {
    for (let day = 23; day < 30; day++) {
      const ids = WEEK_DAYS.map((first) => windowOf('week', 'UTC', `2026-11-${day}T12:00:00Z`, first).id);
      expect([...new Set(['2026-11-23w', '2026-11-30w', ...ids])]).toEqual(['2026-11-23w', '2026-11-30w']);
    }
  });

  it('keeps its id when the account moves to another time zone within the same local day', () => {
    const at = '2026-11-26T12:00:00Z';
    expect(windowOf('day', 'UTC', at).id).toBe(windowOf('day', 'America/New_York', at).id);
    expect(windowOf('month', 'UTC', at).id).toBe(windowOf('month', 'Asia/Tokyo', at).id);
  });
});

describe('the id under which spend is counted', () => {
  it('names the budget, its window and the end user', () => {
    expect(budgetWindowId('bud_1', '2026-11')).toBe('bud_1/2026-11');
    expect(budgetOfWindowId('bud_1/2026-11')).toEqual({ budgetId: 'bud_1', windowId: '2026-11' });
    const id = budgetWindowId('bud_1', 'total', 'a/b');
    expect(budgetOfWindowId(id)).toEqual({ budgetId: 'bud_1', windowId: 'total', endUser: 'a/b' });
  });
});

describe('the name of a time zone', () => {
  it.each(['UTC', 'Europe/Berlin', 'Etc/GMT+12'])('%s is known', (name) =>
    expect(isTimezone(name)).toBe(true),
  );
  it.each(['Mars/Base', '', 'Berlin'])('%j is not known', (name) => expect(isTimezone(name)).toBe(false));
});
