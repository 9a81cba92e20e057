import { base62, numberOfBase62 } from '../keys/base62.ts';

/** 62^8 milliseconds are 6,900 years. */
const TIME_LENGTH = 8;
/** The last moment of a Date. */
const LAST_DATE_MS = 8_640_000_000_000_000;
const PREFIX_LENGTH = 'req_'.length;

/** Encodes Unix milliseconds as request ids do: in base62, so that the text sorts like the time. */
export function arrivalAt(ms: number): string {
  return base62(BigInt(ms), TIME_LENGTH);
}

/** Returns the arrival time in a request id in Unix milliseconds; undefined: the id has none. */
export function arrivedAtMs(requestId: string): number | undefined {
  const ms = numberOfBase62(arrivalOf(requestId));
  return ms !== undefined && ms <= LAST_DATE_MS ? ms : undefined;
}

/**
 * Returns the arrival time in a request id. Usage records are partitioned by it, so every query by id filters
 * by it as well. The SQL function arrival_of does the same.
 */
export function arrivalOf(requestId: string): string {
  return requestId.slice(PREFIX_LENGTH, PREFIX_LENGTH + TIME_LENGTH);
}
