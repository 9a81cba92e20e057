/**
 * When request `index` is due, in milliseconds after the start. Requests are evenly spaced, and never two are
 * due at the same time: a rate that is made by sending several at each tick of a timer would measure its own
 * queue.
 */
export function dueMs(index: number, perSecond: number): number {
  return ((index + 0.5) * 1_000) / perSecond;
}

export function requestsIn(ms: number, perSecond: number): number {
  return Math.round((ms * perSecond) / 1_000);
}

/** When place `index` of `places` begins. */
export function rampStartMs(index: number, places: number, rampMs: number): number {
  return (index * rampMs) / places;
}
