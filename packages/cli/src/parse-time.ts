import { InvalidArgumentError } from 'commander';

const UNIX_SECONDS = /^\d{1,11}$/;
/** A time of day needs its offset, so that nobody has to guess the time zone. */
const ISO_DATE = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/;

/** Parses a moment into Unix seconds; a date means its beginning in UTC. @throws InvalidArgumentError */
export function parseTime(text: string): number {
  if (UNIX_SECONDS.test(text)) return Number(text);
  const [, day = ''] = ISO_DATE.exec(text) ?? [];
  const unixMs = isDay(day) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(unixMs)) return Math.floor(unixMs / 1_000);
  throw new InvalidArgumentError(
    'It must be a date such as 2026-11-30 or 2026-11-30T12:00:00Z, or Unix seconds.',
  );
}

/** Returns true if the day exists: Date.parse takes February 30th for March 2nd. */
function isDay(text: string): boolean {
  const unixMs = Date.parse(text);
  return !Number.isNaN(unixMs) && new Date(unixMs).toISOString().startsWith(text);
}
