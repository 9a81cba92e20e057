import { utcMinute } from '@model-gateway/shared';
import { type Figures, type ModelHealth, NO_TRAFFIC } from './model-health.ts';

/** Figures come every two seconds. After this many seconds without any, the last ones may be wrong. */
const STALE_AFTER_SECONDS = 15;

/** Returns true if the last figures may be wrong by now. @param now Unix seconds */
export function isStale({ receivedAt }: Pick<ModelHealth, 'receivedAt'>, now: number): boolean {
  return now - receivedAt > STALE_AFTER_SECONDS;
}

/**
 * Returns the figures to show for a model or provider. Stale figures are shown with their own time, but the
 * state is then `unknown`.
 * @param health the last report of the control plane; undefined: none has come yet
 * @param now Unix seconds
 */
export function knownFigures(
  health: Pick<ModelHealth, 'receivedAt'> | undefined,
  figures: Figures | undefined,
  now: number,
): Figures | (Omit<Figures, 'requests_5m' | 'gave_up_5m'> & { requests_5m: null; gave_up_5m: null }) {
  if (health === undefined) {
    return {
      ...NO_TRAFFIC,
      requests_5m: null,
      gave_up_5m: null,
      state: 'unknown',
      sentence: 'Not known yet.',
    };
  }
  const known = figures ?? NO_TRAFFIC;
  if (!isStale(health, now)) return known;
  const since = utcMinute(health.receivedAt * 1_000, now * 1_000);
  const before =
    known.status === 'operational' || known.sentence === null ? '' : ` Before: ${known.sentence}`;
  return { ...known, state: 'unknown', sentence: `Not known since ${since}.${before}` };
}
