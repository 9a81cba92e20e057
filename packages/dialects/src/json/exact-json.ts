import { randomUUID } from 'node:crypto';
import { canonicalJson } from '@model-gateway/shared/canonical-json';
import { endOfString } from './end-of-string.ts';

/**
 * Marks numbers that a JavaScript number cannot hold, such as 64-bit ids: `parseExactJson` turns them into
 * strings with this prefix, and `writeExactJson` turns these back into the same digits. No caller can guess
 * it.
 */
const MARK = `number ${randomUUID()} `;
const NUMBER = String.raw`-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?`;
const ONE_NUMBER = new RegExp(`^${NUMBER}$`);
const MARKED = new RegExp(`"${MARK}(${NUMBER})"`, 'g');
/** Matches JSON that may have such a number. Other JSON, nearly all of it, is only parsed. */
const MAY_HAVE_LARGE = /(?<![\d.])\d{16}|\d[eE]\+?\d{3}/;
const WHOLE = /^-?\d+$/;
const IN_NUMBER = /[\d.eE+-]/;

/** Parses JSON without losing digits, for `writeExactJson`. @throws SyntaxError */
export function parseExactJson(json: string): unknown {
  return JSON.parse(MAY_HAVE_LARGE.test(json) ? withMarks(json) : json);
}

/** Serializes a value, with the exact numbers that `parseExactJson` marked. */
export function writeExactJson(value: unknown): string {
  return withNumbers(JSON.stringify(value));
}

/** Serializes a value in the one canonical way: equal JSON, however it was written, gives equal text. */
export function writeCanonicalJson(value: unknown): string {
  return withNumbers(canonicalJson(value));
}

function withNumbers(json: string): string {
  return json.includes(MARK) ? json.replaceAll(MARKED, '$1') : json;
}

/** Returns the nearest JavaScript number for a marked number, and any other value unchanged. */
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
      // A number in the place of a key must stay one: as a string it would become a key.
      if (isTooLarge(number) && !isBeforeColon(json, end)) {
        written += `${json.slice(from, at)}"${MARK}${number}"`;
        from = end;
      }
      at = end - 1;
    }
  }
  return written + json.slice(from);
}

function isBeforeColon(json: string, end: number): boolean {
  let at = end;
  while (/\s/.test(json.charAt(at))) at += 1;
  return json.charAt(at) === ':';
}

function endOfNumber(json: string, start: number): number {
  let end = start + 1;
  while (end < json.length && IN_NUMBER.test(json.charAt(end))) end += 1;
  return end;
}

/** Returns false for fractions: every parser rounds them to the same nearest number. */
function isTooLarge(number: string): boolean {
  const value = Number(number);
  const isHeld = Number.isFinite(value) && (Number.isSafeInteger(value) || !WHOLE.test(number));
  return !isHeld && ONE_NUMBER.test(number);
}
