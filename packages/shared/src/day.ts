export const DAY_MS = 86_400_000;

/** Returns the day (UTC) of Unix milliseconds, such as "2026-11-27". */
export function utcDay(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 10);
}
