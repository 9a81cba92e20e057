import { utcMinute } from '@model-gateway/shared';
import { type Figures, type ModelHealth, NO_TRAFFIC } from './model-health.ts';

/** Figures come every two seconds. After this many seconds without any, the last ones may be wrong. */
const STALE_AFTER_SECONDS = 15;

/** Returns true if the last figures may be wrong by now. @param now Unix seconds */
export function isStale({ receivedAt }: Pick<ModelHealth, 'receivedAt'>, now: number): boolean {
  return now - receivedAt > STALE_AFTER_SECONDS;
}

/**
 * Returns what can be said about one model or provider now. Old figures are shown as they were, with their
 * own time, but its status is then not known.
 * @param told the last message of the control plane; undefined: none has come yet
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
