const minuteMs = 60_000;

/**
 * A page that reloads itself because a script is missing must not do so in a loop: once a minute is allowed.
 * @param reloadedAt when it last did so, Unix milliseconds as text; null: never
 */
export function mayReloadAgain(reloadedAt: string | null, nowMs: number): boolean {
  return !(nowMs - Number(reloadedAt ?? Number.NaN) < minuteMs);
}
