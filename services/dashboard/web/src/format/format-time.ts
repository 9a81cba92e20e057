/** All functions take Unix milliseconds and use the browser's time zone, unless they say otherwise. */

/** `Nov 21, 2026, 14:05:09` */
export function formatDateTime(ms: number): string {
  return dateTime.format(ms);
}

/** `Nov 21, 2026, 13:05:09 UTC` */
export function formatUtc(ms: number): string {
  return `${utcDateTime.format(ms)} UTC`;
}

/** `Nov 21, 14:05:09`, for lists of recent things. */
export function formatRecent(ms: number): string {
  return recent.format(ms);
}

/** `Nov 21, 2026` */
export function formatDate(ms: number): string {
  return date.format(ms);
}

/** `Dec 1 (UTC)`, for billing months, which are in UTC. */
export function formatUtcDay(ms: number): string {
  return `${utcDay.format(ms)} (UTC)`;
}

/** `just now`, `2 minutes ago`, `in 3 days`. */
export function formatRelative(ms: number, nowMs = Date.now()): string {
  const seconds = (ms - nowMs) / 1000;
  if (Math.abs(seconds) < 10) return 'just now';
  for (const [unit, size] of units) {
    const count = Math.trunc(seconds / size);
    if (count !== 0) return relative.format(count, unit);
  }
  return 'just now';
}

const units = [
  ['year', 365 * 86_400],
  ['month', 30 * 86_400],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

const date = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium' });
const utcDay = new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric', timeZone: 'UTC' });
const exact = { dateStyle: 'medium', timeStyle: 'medium', hourCycle: 'h23' } as const;
const dateTime = new Intl.DateTimeFormat('en-US', exact);
const utcDateTime = new Intl.DateTimeFormat('en-US', { ...exact, timeZone: 'UTC' });
const recent = new Intl.DateTimeFormat('en-US', {
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
});
const relative = new Intl.RelativeTimeFormat('en-US', { numeric: 'always' });
