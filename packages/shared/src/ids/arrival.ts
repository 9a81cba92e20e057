import { base62 } from '../keys/base62.ts';

/** 62^8 milliseconds are 6,900 years. */
const TIME_LENGTH = 8;
const PREFIX_LENGTH = 'req_'.length;

/** Writes a moment in Unix milliseconds as request ids have it: in base62, so that it sorts like the time. */
export function arrivalAt(ms: number): string {
  return base62(BigInt(ms), TIME_LENGTH);
}

/**
 * When a request arrived, as its id says it. Usage records are stored in
 * partitions by this: who looks for one by its id gives it, too. The SQL function arrival_of is the same.
 */
export function arrivalOf(requestId: string): string {
  return requestId.slice(PREFIX_LENGTH, PREFIX_LENGTH + TIME_LENGTH);
}
