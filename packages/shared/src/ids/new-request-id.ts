import { randomBase62 } from '../keys/base62.ts';
import { arrivalAt } from './arrival.ts';

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
    prefix = `req_${arrivalAt(nowMs)}`;
  }
  return prefix + randomBase62(16);
}
