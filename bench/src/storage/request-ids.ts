import { randomBase62 } from '@model-gateway/shared';

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const TIME_LENGTH = 8;

/** The id of a request: random, or with the millisecond in front, as newer releases make it. */
export function newRequestId({ areOrdered }: { areOrdered: boolean }): string {
  if (!areOrdered) return `req_${randomBase62(24)}`;
  let time = '';
  for (let rest = Date.now(); rest > 0; rest = Math.floor(rest / 62)) time = DIGITS.charAt(rest % 62) + time;
  return `req_${time.padStart(TIME_LENGTH, '0')}${randomBase62(16)}`;
}
