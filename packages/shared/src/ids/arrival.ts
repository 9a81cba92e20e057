import { base62 } from '../keys/base62.ts';

/** 62^8 milliseconds are 6,900 years. */
const TIME_LENGTH = 8;
const PREFIX_LENGTH = 'req_'.length;
/** October 2025 to 2081. Ids of earlier releases are random, and one of 124 of them is in this range, too. */
const FIRST = 'req_0V';
const END = 'req_1';

/** Writes a moment in Unix milliseconds as request ids have it: in base62, so that it sorts like the time. */
export function arrivalAt(ms: number): string {
  return base62(BigInt(ms), TIME_LENGTH);
}

/**
 * When a request arrived, as its id says it; empty when the id does not tell. Usage records are stored in
 * partitions by this: who looks for one by its id gives it, too. The SQL function arrival_of is the same.
 */
export function arrivalOf(requestId: string): string {
  if (requestId < FIRST || requestId >= END) return '';
  return requestId.slice(PREFIX_LENGTH, PREFIX_LENGTH + TIME_LENGTH);
}
