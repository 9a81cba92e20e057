import { InvalidArgumentError } from 'commander';

const DAY = /^\d{4}-\d\d-\d\d$/;

/** Parses a day into the Unix milliseconds of its beginning (UTC). @throws InvalidArgumentError */
export function parseDay(text: string): number {
  const timeMs = DAY.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(timeMs) && new Date(timeMs).toISOString().startsWith(text)) return timeMs;
  throw new InvalidArgumentError('It must be a day such as 2026-11-30.');
}
