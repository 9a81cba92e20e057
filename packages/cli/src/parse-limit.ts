import { InvalidArgumentError } from 'commander';

/** What fits into the message; the control plane knows what it accepts. */
const MAX_UINT32 = 2 ** 32 - 1;

/** A limit on the command line. @throws InvalidArgumentError */
export function parseLimit(text: string): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (value <= MAX_UINT32) return value;
  throw new InvalidArgumentError('It must be a whole number.');
}

/** A limit on the command line, or the word that goes back to the default. @throws InvalidArgumentError */
export function parseLimitOrDefault(text: string): number | 'default' {
  if (text === 'default') return text;
  try {
    return parseLimit(text);
  } catch {
    throw new InvalidArgumentError('It must be a whole number, or the word default.');
  }
}
