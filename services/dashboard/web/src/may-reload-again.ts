const minuteMs = 60_000;

/**
 * Allows one automatic reload a minute, to prevent a reload loop.
 * @param reloadedAt the last one, Unix milliseconds as text; null: never
 */
export function mayReloadAgain(reloadedAt: string | null, nowMs: number): boolean {
  return !(nowMs - Number(reloadedAt ?? Number.NaN) < minuteMs);
}
