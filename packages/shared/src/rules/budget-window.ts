import { Temporal } from 'temporal-polyfill';
import { type BudgetWindow, WEEK_DAYS, type WeekDay } from './rules.ts';

/** An account's calendar, in which the windows of its budgets begin and end. */
export interface Calendar {
  /** IANA name, such as `Europe/Berlin`. */
  timezone: string;
  weekStarts: WeekDay;
}

export const DEFAULT_CALENDAR: Calendar = { timezone: 'UTC', weekStarts: 'monday' };

/** One window of a budget. Times are Unix milliseconds; the end is exclusive, infinite for `total`. */
export interface WindowBounds {
  /** `2026-11-26`, `2026-11-23w` (a week, by the Monday in it), `2026-11` or `total`. */
  id: string;
  startsAtMs: number;
  endsAtMs: number;
}

const TOTAL: WindowBounds = {
  id: 'total',
  startsAtMs: Number.NEGATIVE_INFINITY,
  endsAtMs: Number.POSITIVE_INFINITY,
};

/** Returns the window at a time. A local day begins at its first moment, also where it has no midnight. */
export function windowAt(
  window: BudgetWindow,
  { timezone, weekStarts }: Calendar,
  atMs: number,
): WindowBounds {
  if (window === 'total') return TOTAL;
  const today = Temporal.Instant.fromEpochMilliseconds(atMs).toZonedDateTimeISO(timezone).toPlainDate();
  switch (window) {
    case 'day':
      return boundsOf(today.toString(), today, today.add({ days: 1 }), timezone);
    case 'week': {
      const first = today.subtract({ days: (today.dayOfWeek - 1 - WEEK_DAYS.indexOf(weekStarts) + 7) % 7 });
      // Its first day would give a budget as many windows a week as there are days for weeks to start on.
      const monday = first.add({ days: (8 - first.dayOfWeek) % 7 });
      return boundsOf(`${monday}w`, first, first.add({ days: 7 }), timezone);
    }
    case 'month': {
      const first = today.with({ day: 1 });
      return boundsOf(first.toPlainYearMonth().toString(), first, first.add({ months: 1 }), timezone);
    }
  }
}

function boundsOf(id: string, first: Temporal.PlainDate, next: Temporal.PlainDate, timezone: string) {
  return {
    id,
    startsAtMs: first.toZonedDateTime(timezone).epochMilliseconds,
    endsAtMs: next.toZonedDateTime(timezone).epochMilliseconds,
  };
}

/** Returns true for the name of a time zone that this process knows. */
export function isTimezone(name: string): boolean {
  try {
    Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name);
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns the text under which spend of a budget in a window is counted.
 * @param endUser for budgets of end users: whose spend it is
 */
export function budgetWindowId(budgetId: string, windowId: string, endUser?: string): string {
  return endUser === undefined ? `${budgetId}/${windowId}` : `${budgetId}/${windowId}/${endUser}`;
}

export function budgetOfWindowId(id: string): { budgetId: string; windowId: string; endUser?: string } {
  const [budgetId = '', windowId = '', ...rest] = id.split('/');
  return { budgetId, windowId, ...(rest.length === 0 ? {} : { endUser: rest.join('/') }) };
}
