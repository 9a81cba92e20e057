import type { Overview } from './use-overview.ts';

/** Writes the chart as CSV, the oldest first; times are the starts of buckets in UTC. */
export function seriesCsv(series: Overview['series']): string {
  const lines = series.map(({ cost_usd, errors, requests, start }) =>
    [start, requests, errors, cost_usd].join(','),
  );
  return ['start,requests,errors,cost_usd', ...lines, ''].join('\r\n');
}
