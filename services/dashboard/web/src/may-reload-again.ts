const minuteMs = 60_000;

/**
 * A page that loads itself anew because a script is missing must not do so in a loop: once a minute.
 * @param reloadedAt when it did so last, Unix milliseconds as text; null: never
 */
export function mayReloadAgain(reloadedAt: string | null, nowMs: number): boolean {
  return !(nowMs - Number(reloadedAt ?? Number.NaN) < minuteMs);
}
