import { randomBase62 } from '../keys/base62.ts';
import { arrivalAt } from './arrival.ts';

let timeMs = 0;
let prefix = '';

/**
 * Returns `req_` + 24 base62 characters: eight encode the millisecond, 16 are random (95 bits). Ids sort by
 * time, so the index of usage records grows at one end: with random ids, each insert would write another
 * page.
 */
export function newRequestId(nowMs: number = Date.now()): string {
  if (nowMs !== timeMs) {
    timeMs = nowMs;
    prefix = `req_${arrivalAt(nowMs)}`;
  }
  return prefix + randomBase62(16);
}
