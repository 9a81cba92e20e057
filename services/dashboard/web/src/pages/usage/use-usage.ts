import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { UsageResponse } from '../../../../wire/usage.ts';
import { getJson } from '../../api/client.ts';
import type { Period } from './period.ts';
import type { UsageScope } from './use-usage-scope.ts';

const LIVE_REFRESH_MS = 3_000;

/** Reads the sums of a period, and shows the previous ones until they arrive. */
export function useUsage(
  { fromMs, toMs, width, isLive }: Period,
  { seatId, group, label, value }: Pick<UsageScope, 'seatId' | 'group' | 'label' | 'value'>,
) {
  const query = { fromMs, toMs, width, seatId, group, label, value };
  return useQuery({
    queryKey: ['usage', query],
    // Stored with the data, which stays visible while another width loads.
    queryFn: async ({ signal }) => ({
      ...(await getJson<UsageResponse>('/api/usage', query, signal)),
      width,
    }),
    placeholderData: keepPreviousData,
    refetchInterval: isLive ? LIVE_REFRESH_MS : false,
  });
}
