import type { BucketWidth } from '../../charts/bucket-label.ts';

/** The chosen period, stored in the URL. */
export type PeriodChoice =
  | { kind: 'hour' | 'today' | '7d' | '30d' | 'month' }
  /** UTC days such as 2026-11-21; the last one is included. */
  | { kind: 'custom'; from: string; to: string };

/** A period as the API takes it. */
export interface Period {
  fromMs: number;
  toMs: number;
  width: BucketWidth;
  /** True if the period includes the present. */
  isLive: boolean;
}

export const PERIOD_NAMES: Record<PeriodChoice['kind'], string> = {
  hour: 'Last hour',
  today: 'Today',
  '7d': '7 days',
  '30d': '30 days',
  month: 'This month',
  custom: 'Dates',
};

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** The maximum length of a custom period. */
const MAX_DAYS = 366;

/**
 * Converts a choice to a period. "Today" is in the reader's time zone; days are UTC days, like bills. Ends
 * with a whole bucket, so that the query stays the same until the next bucket starts.
 * @returns undefined if the dates are invalid, in the wrong order, in the future, or more than a year apart
 */
export function periodOf(choice: PeriodChoice, nowMs: number): Period | undefined {
  const today = floor(nowMs, DAY);
  const live = (fromMs: number, width: BucketWidth): Period => {
    const widthMs = { minute: MINUTE, hour: HOUR, day: DAY }[width];
    return { fromMs, toMs: floor(nowMs, widthMs) + widthMs, width, isLive: true };
  };
  switch (choice.kind) {
    case 'hour':
      return live(floor(nowMs, MINUTE) - 59 * MINUTE, 'minute');
    case 'today':
      return live(new Date(nowMs).setHours(0, 0, 0, 0), 'hour');
    case '7d':
      return live(today - 6 * DAY, 'day');
    case '30d':
      return live(today - 29 * DAY, 'day');
    case 'month':
      return live(startOfMonth(nowMs), 'day');
    case 'custom': {
      const fromMs = dayOf(choice.from);
      const lastMs = dayOf(choice.to);
      if (fromMs === undefined || lastMs === undefined || fromMs > lastMs || fromMs > nowMs) return undefined;
      const toMs = Math.min(lastMs, today) + DAY;
      if (toMs - fromMs > MAX_DAYS * DAY) return undefined;
      return { fromMs, toMs, width: toMs - fromMs <= 2 * DAY ? 'hour' : 'day', isLive: toMs > nowMs };
    }
  }
}

/** Reads the choice from the query of the page's address; an unknown one is 30 days. */
export function choiceOf(query: URLSearchParams): PeriodChoice {
  const kind = query.get('range');
  if (kind === 'custom') return { kind, from: query.get('from') ?? '', to: query.get('to') ?? '' };
  if (kind === 'hour' || kind === 'today' || kind === '7d' || kind === 'month') return { kind };
  return { kind: '30d' };
}

/** Returns the UTC day of a time, such as 2026-11-21. */
export function utcDay(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

function dayOf(text: string): number | undefined {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return undefined;
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
}

function startOfMonth(ms: number): number {
  const date = new Date(ms);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
}

function floor(ms: number, width: number): number {
  return Math.floor(ms / width) * width;
}
