import { InvalidArgumentError } from 'commander';
import { parseDuration } from './parse-duration.ts';
import { parseTime } from './parse-time.ts';

/** The expiry of a key: Unix milliseconds, or a word. */
export type KeyEnd = { atMs: number } | { now: true } | { never: true };

/** Parses the moment at which an existing key ends. @throws InvalidArgumentError */
export function parseKeyEnd(text: string): KeyEnd {
  if (text === 'now') return { now: true };
  if (text === 'never') return { never: true };
  try {
    return { atMs: parseTime(text) * 1_000 };
  } catch (error) {
    if (!(error instanceof InvalidArgumentError)) throw error;
    throw new InvalidArgumentError(`${error.message} You can also write now or never.`);
  }
}

/** Parses the lifetime or end of a new key or pool into Unix milliseconds. @throws InvalidArgumentError */
export function parseExpiry(text: string): number {
  try {
    return /^\d+[smhd]$/.test(text) ? Date.now() + parseDuration(text) : parseTime(text) * 1_000;
  } catch (error) {
    if (!(error instanceof InvalidArgumentError)) throw error;
    throw new InvalidArgumentError('It must be a length of time such as 30d, or a date such as 2026-12-31.');
  }
}
