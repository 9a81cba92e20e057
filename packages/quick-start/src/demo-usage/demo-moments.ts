import type { Random } from './seeded-random.ts';
import type { Workload } from './workloads.ts';

const HOUR_MS = 3_600_000;

/** How much busier the last hour is than the first one. */
const GROWTH = 2.5;

/**
 * Returns when the requests of a workload ended: Unix milliseconds, in order, within whole hours before
 * `untilMs`.
 * @param count the wanted number; the result has nearly as many
 */
export function demoMoments(
  { hours, weekend }: Pick<Workload, 'hours' | 'weekend'>,
  {
    untilMs,
    hourCount,
    count,
    random,
  }: { untilMs: number; hourCount: number; count: number; random: Random },
): number[] {
  const slots = Array.from({ length: hourCount }, (_, index) => {
    const startMs = untilMs - (hourCount - index) * HOUR_MS;
    const start = new Date(startMs);
    const ofDay = start.getUTCDay() % 6 === 0 ? weekend : 1;
    const ofAge = 1 + ((GROWTH - 1) * index) / hourCount;
    return { startMs, weight: (hours[start.getUTCHours()] ?? 0) * ofDay * ofAge };
  });
  const total = slots.reduce((sum, { weight }) => sum + weight, 0);
  return slots.flatMap(({ startMs, weight }) => {
    // The number is rounded up with the probability of its fraction.
    const inSlot = Math.floor((weight / total) * count + random());
    return Array.from({ length: inSlot }, () => startMs + Math.floor(random() * HOUR_MS)).sort(
      (left, right) => left - right,
    );
  });
}
