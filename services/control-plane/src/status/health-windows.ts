const MINUTE_MS = 60_000;

export interface HealthWindows {
  /** The current minute and the four before it. */
  fiveMinutes: Date;
  hour: Date;
  day: Date;
}

/** Includes the current minute, so that a failure shows at once. */
export function healthWindows(nowMs: number): HealthWindows {
  const begin = (minutes: number) => new Date(minuteOf(nowMs).getTime() - (minutes - 1) * MINUTE_MS);
  return { fiveMinutes: begin(5), hour: begin(60), day: begin(24 * 60) };
}

export function minuteOf(timeMs: number): Date {
  return new Date(Math.floor(timeMs / MINUTE_MS) * MINUTE_MS);
}
