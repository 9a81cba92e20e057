import type { ResponseOf } from '../../../../wire/management.ts';
import { useManagement } from '../../api/use-management.ts';
import type { BucketWidth } from '../../charts/bucket-label.ts';
import { useAddressQuery } from '../../components/use-address-query.ts';

export type Overview = ResponseOf<'getOverview'>;
export type Figures = Overview['totals']['now'];
export type FiguresRow = Overview['models'][number];
export type Period = Overview['period'];

export const PERIODS: Record<Period, { name: string; width: BucketWidth }> = {
  '1h': { name: 'Last hour', width: 'minute' },
  '24h': { name: '24 hours', width: 'hour' },
  '7d': { name: '7 days', width: 'hour' },
  '30d': { name: '30 days', width: 'day' },
};
const REFRESH_MS = 15_000;

/** Reads the figures of the period in the address. */
export function useOverview() {
  const [query, change] = useAddressQuery();
  const given = query.get('period') ?? '';
  const period = isPeriod(given) ? given : '24h';
  const overview = useManagement('getOverview', { query: { period } }, { refetchMs: REFRESH_MS });
  return { overview, period, change: (next: string) => change({ period: next }) };
}

function isPeriod(name: string): name is Period {
  return Object.hasOwn(PERIODS, name);
}
