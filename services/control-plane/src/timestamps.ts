import { z } from 'zod';

/** ISO 8601, UTC, with milliseconds. */
export const timestamp = z.iso.datetime();

export function optionalTimestamp(time: Date | null): string | null {
  return time === null ? null : time.toISOString();
}
