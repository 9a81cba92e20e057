const MINUTE_MS = 60_000;

/** Where the windows of status figures begin, each at the start of a minute. */
export interface HealthWindows {
  /** Begins with the current minute and the four before it. */
  fiveMinutes: Date;
  hour: Date;
  day: Date;
}

/** Returns the windows that end now. The current minute is part of them, so that a failure shows at once. */
export function healthWindows(nowMs: number): HealthWindows {
  const begin = (minutes: number) => new Date(minuteOf(nowMs).getTime() - (minutes - 1) * MINUTE_MS);
  return { fiveMinutes: begin(5), hour: begin(60), day: begin(24 * 60) };
}

/** The start of the minute that a moment lies in. */
export function minuteOf(timeMs: number): Date {
  return new Date(Math.floor(timeMs / MINUTE_MS) * MINUTE_MS);
}
