import { base62, randomBase62 } from '../keys/base62.ts';

/** 62^8 milliseconds are 6,900 years. */
const TIME_LENGTH = 8;

let timeMs = 0;
let prefix = '';

/**
 * `req_` + 24 base62 characters: eight of the millisecond, then 16 random ones (95 bits). In the order of
 * their bytes, ids are in the order of their time, so that the index of usage records grows at one end: with
 * random ids, each record that is stored would touch, and Postgres would write, a page of its own.
 */
export function newRequestId(nowMs: number = Date.now()): string {
  if (nowMs !== timeMs) {
    timeMs = nowMs;
    prefix = `req_${base62(BigInt(nowMs), TIME_LENGTH)}`;
  }
  return prefix + randomBase62(16);
}
