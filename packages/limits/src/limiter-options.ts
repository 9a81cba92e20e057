import { LIMIT_WINDOW_SECONDS } from '@model-gateway/shared';
import { CELL_MS, LARGEST_LOGGED_LIMIT, STREAM_LEASE_MS, TOKEN_CELL_MS } from './limiter.ts';

/**
 * Options of both stores. They count in whole microseconds, as Redis' TIME does, so that they decide alike.
 */
export interface LimiterOptions {
  /** Whole milliseconds; default 60 s. */
  windowMs?: number | undefined;
  /** Whole milliseconds; default {@link STREAM_LEASE_MS}. */
  streamLeaseMs?: number | undefined;
  /** Default {@link LARGEST_LOGGED_LIMIT}. */
  largestLogged?: number | undefined;
  /** A clock in microseconds that never goes back; by default the store's own. */
  clockMicros?: (() => number) | undefined;
}

export interface Counting {
  windowMs: number;
  streamLeaseMs: number;
  cellMs: number;
  tokenCellMs: number;
  largestLogged: number;
}

export function countingOf(options: LimiterOptions): Counting {
  return {
    windowMs: options.windowMs ?? LIMIT_WINDOW_SECONDS * 1_000,
    streamLeaseMs: options.streamLeaseMs ?? STREAM_LEASE_MS,
    cellMs: CELL_MS,
    tokenCellMs: TOKEN_CELL_MS,
    largestLogged: options.largestLogged ?? LARGEST_LOGGED_LIMIT,
  };
}
