import { InvalidArgumentError } from 'commander';

const UNIT_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const DURATION = /^(\d{1,9})(s|m|h|d)$/;

/** Parses a length of time, such as 24h, into milliseconds. @throws InvalidArgumentError */
export function parseDuration(text: string): number {
  const [, count, unit] = DURATION.exec(text) ?? [];
  if (count !== undefined && isUnit(unit)) return Number(count) * UNIT_MS[unit];
  throw new InvalidArgumentError('It must be a number with its unit: 90s, 30m, 24h or 7d.');
}

function isUnit(text: string | undefined): text is keyof typeof UNIT_MS {
  return text !== undefined && text in UNIT_MS;
}
