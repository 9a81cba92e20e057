import { utcMinute } from '@model-gateway/shared';
import { type Figures, type ModelHealth, NO_TRAFFIC } from './model-health.ts';

/** Figures come every two seconds; after so many without any, what was true then may not be true now. */
const STALE_AFTER_SECONDS = 15;

/** Whether what was told last may not be true any more. @param now Unix seconds */
export function isStale({ receivedAt }: Pick<ModelHealth, 'receivedAt'>, now: number): boolean {
  return now - receivedAt > STALE_AFTER_SECONDS;
}

/**
 * What can be said of one model or provider now. Figures that are old are shown as they were, under the time
 * they have, but whether it is well is not known any more.
 * @param told what the control plane told last; undefined: nothing yet
 * @param now Unix seconds
 */
export function knownFigures(
  told: Pick<ModelHealth, 'receivedAt'> | undefined,
  figures: Figures | undefined,
  now: number,
): Figures | (Omit<Figures, 'requests_5m' | 'gave_up_5m'> & { requests_5m: null; gave_up_5m: null }) {
  if (told === undefined) {
    return {
      ...NO_TRAFFIC,
      requests_5m: null,
      gave_up_5m: null,
      state: 'unknown',
      sentence: 'Not known yet.',
    };
  }
  const known = figures ?? NO_TRAFFIC;
  if (!isStale(told, now)) return known;
  const since = utcMinute(told.receivedAt * 1_000, now * 1_000);
  const before =
    known.status === 'operational' || known.sentence === null ? '' : ` Before: ${known.sentence}`;
  return { ...known, state: 'unknown', sentence: `Not known since ${since}.${before}` };
}
