import { InvalidArgumentError } from 'commander';

/** The largest number that fits into the message. The control plane knows which numbers it accepts. */
const MAX_UINT32 = 2 ** 32 - 1;

/** Parses a limit. @throws InvalidArgumentError */
export function parseLimit(text: string): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (value <= MAX_UINT32) return value;
  throw new InvalidArgumentError('It must be a whole number.');
}

/** Parses a limit, or the word that sets the default. @throws InvalidArgumentError */
export function parseLimitOrDefault(text: string): number | 'default' {
  if (text === 'default') return text;
  try {
    return parseLimit(text);
  } catch {
    throw new InvalidArgumentError('It must be a whole number, or the word default.');
  }
}
