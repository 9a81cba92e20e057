import { LIMIT_WINDOW_SECONDS } from '@model-gateway/shared';
import { STREAM_LEASE_MS } from './limiter.ts';

/** Both stores count in whole microseconds, the resolution of Redis' TIME, so that they decide alike. */
export interface LimiterOptions {
  /** Default 60 s. */
  windowMs?: number | undefined;
  /** Default 30 s. */
  streamLeaseMs?: number | undefined;
  /** A clock in microseconds that never goes back; by default the store's own. */
  clockMicros?: (() => number) | undefined;
}

export interface Durations {
  windowMicros: number;
  leaseMicros: number;
}

export function durationsOf(options: LimiterOptions): Durations {
  return {
    windowMicros: Math.ceil((options.windowMs ?? LIMIT_WINDOW_SECONDS * 1_000) * 1_000),
    leaseMicros: Math.ceil((options.streamLeaseMs ?? STREAM_LEASE_MS) * 1_000),
  };
}
