import { parseDecimal, wholeAt } from '@model-gateway/shared';

/** Also matches a string without an end: it would else be searched again from each of its quotes. */
const STRING_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"?|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const NUMBER = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d{1,3})?$/;
const NANO_DIGITS = 9;
/** More than any price has; the arithmetic of a million digits takes long. */
const MAX_DIGITS = 100;
/** Prices of the catalog have at most nine digits before the point. */
const TOO_LARGE = 10n ** BigInt(NANO_DIGITS + 9);

/**
 * Parses JSON with each number as the text that it is written in: a double has no exact 1.5e-07.
 * @throws SyntaxError
 */
export function parseExactJson(text: string): unknown {
  return JSON.parse(
    text.replace(STRING_OR_NUMBER, (token) => (token.startsWith('"') ? token : `"${token}"`)),
  );
}

export function isNumber(value: unknown): value is string {
  return typeof value === 'string' && NUMBER.test(value);
}

export function isZero(decimal: string): boolean {
  return /^0+(?:\.0+)?(?:[eE][+-]?\d+)?$/.test(decimal);
}

/**
 * Multiplies US dollars by a power of ten.
 * @param decimal such as "1.5e-07"
 * @returns nano-USD; undefined: negative, too large, or more than nine decimals
 */
export function exactNanoUsd(decimal: string, powerOfTen: number): bigint | undefined {
  if (decimal.length > MAX_DIGITS) return undefined;
  const number = parseDecimal(decimal);
  const nanoUsd = number && wholeAt(number, NANO_DIGITS + powerOfTen);
  const isPrice = nanoUsd !== undefined && nanoUsd < TOO_LARGE && !decimal.startsWith('-');
  return isPrice ? nanoUsd : undefined;
}
