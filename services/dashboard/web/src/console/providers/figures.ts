import { formatShare } from '../../format/format-count.ts';
import { formatDuration } from '../../format/format-duration.ts';
import type { Health } from './health-mark.tsx';

/** Formats the share of successful responses. */
export function successOf({ success_24h }: Pick<Health, 'success_24h'>): string {
  return success_24h === null ? '–' : formatShare(success_24h);
}

/** Formats the median and the 95th percentile of the last five minutes. */
export function latencyOf({ latency_ms: latency }: Pick<Health, 'latency_ms'>): string {
  return latency === null ? '–' : `${formatDuration(latency.p50)} / ${formatDuration(latency.p95)}`;
}

/** Formats the failed share of attempts. */
export function failedShare({
  attempts_24h,
  failed_24h,
}: {
  attempts_24h: number;
  failed_24h: number;
}): string {
  return attempts_24h === 0 ? '–' : formatShare(failed_24h / attempts_24h);
}
