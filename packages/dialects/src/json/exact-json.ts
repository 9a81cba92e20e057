import { randomUUID } from 'node:crypto';
import { endOfString } from './end-of-string.ts';

/**
 * JSON that is parsed here and written by us again, such as the arguments of a call: ids of 64 bits are not
 * the same any more once they have been numbers of JavaScript. One that such a number cannot hold becomes a
 * text that nobody else writes, and `writeExactJson` makes it the number that it was.
 */
const MARK = `number ${randomUUID()} `;
const NUMBER = String.raw`-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?`;
const ONE_NUMBER = new RegExp(`^${NUMBER}$`);
const MARKED = new RegExp(`"${MARK}(${NUMBER})"`, 'g');
/** Most JSON has no long whole number and no large exponent, and is only parsed. */
const MAY_HAVE_LARGE = /(?<![\d.])\d{16}|\d[eE]\+?\d{3}/;
const WHOLE = /^-?\d+$/;
const IN_NUMBER = /[\d.eE+-]/;

/** As `JSON.parse`, for what is written by `writeExactJson`. @throws SyntaxError */
export function parseExactJson(json: string): unknown {
  return JSON.parse(MAY_HAVE_LARGE.test(json) ? withMarks(json) : json);
}

/** As `JSON.stringify`, with the numbers that `parseExactJson` has found. */
export function writeExactJson(value: unknown): string {
  const json = JSON.stringify(value);
  return json.includes(MARK) ? json.replaceAll(MARKED, '$1') : json;
}

/** A number that was too large, as near as a number of JavaScript comes to it; anything else as it is. */
export function nearestNumber(value: unknown): unknown {
  return isLargeNumber(value) ? Number(value.slice(MARK.length)) : value;
}

export function isLargeNumber(value: unknown): value is string {
  return typeof value === 'string' && value.startsWith(MARK);
}

function withMarks(json: string): string {
  let written = '';
  let from = 0;
  for (let at = 0; at < json.length; at++) {
    const character = json.charAt(at);
    if (character === '"') at = endOfString(json, at);
    else if (IN_NUMBER.test(character)) {
      const end = endOfNumber(json, at);
      const number = json.slice(at, end);
      if (isTooLarge(number)) {
        written += `${json.slice(from, at)}"${MARK}${number}"`;
        from = end;
      }
      at = end - 1;
    }
  }
  return written + json.slice(from);
}

function endOfNumber(json: string, start: number): number {
  let end = start + 1;
  while (end < json.length && IN_NUMBER.test(json.charAt(end))) end += 1;
  return end;
}

/** Fractions are rounded to the nearest that there is, as everybody rounds them. */
function isTooLarge(number: string): boolean {
  const value = Number(number);
  const isHeld = Number.isFinite(value) && (Number.isSafeInteger(value) || !WHOLE.test(number));
  return !isHeld && ONE_NUMBER.test(number);
}
