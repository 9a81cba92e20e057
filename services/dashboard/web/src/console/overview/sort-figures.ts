import type { FiguresRow } from './use-overview.ts';

export const SORTS = {
  errors: 'Most errors',
  requests: 'Most requests',
  spend: 'Most charged',
  latency: 'Slowest',
} as const;
export type Sort = keyof typeof SORTS;

const VALUES: Record<Sort, (row: FiguresRow) => number> = {
  errors: ({ now }) => now.errors,
  requests: ({ now }) => now.requests,
  spend: ({ now }) => Number(now.charged_usd),
  latency: ({ now }) => now.latency_ms?.p95 ?? 0,
};

export function isSort(name: string): name is Sort {
  return Object.hasOwn(SORTS, name);
}

/** Sorts the largest first, and the busiest among equal ones. Leaves out rows without traffic now. */
export function sortFigures(rows: readonly FiguresRow[], sort: Sort): FiguresRow[] {
  const figureOf = VALUES[sort];
  return rows
    .filter(({ now }) => now.requests > 0 || now.errors > 0 || now.error_rate !== null)
    .sort((a, b) => figureOf(b) - figureOf(a) || b.now.requests - a.now.requests);
}
