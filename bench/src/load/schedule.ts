/**
 * Returns when request `index` is due, in milliseconds after the start. Requests are evenly spaced: several
 * at each tick of a timer would measure their own queue.
 */
export function dueMs(index: number, perSecond: number): number {
  return ((index + 0.5) * 1_000) / perSecond;
}

export function requestsIn(ms: number, perSecond: number): number {
  return Math.round((ms * perSecond) / 1_000);
}

/** Returns when place `index` of `places` starts. */
export function rampStartMs(index: number, places: number, rampMs: number): number {
  return (index * rampMs) / places;
}
