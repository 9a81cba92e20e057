/**
 * Returns when request `index` is due, in milliseconds after the start. Requests are evenly spaced: several
 * at each tick of a timer would wait for each other.
 */
export function dueMs(index: number, perSecond: number): number {
  return ((index + 0.5) * 1_000) / perSecond;
}

export function requestsIn(ms: number, perSecond: number): number {
  return Math.round((ms * perSecond) / 1_000);
}

/** Returns when stream `index` of `streams` starts, in milliseconds after the first. */
export function rampStartMs(index: number, streams: number, rampMs: number): number {
  return (index * rampMs) / streams;
}
