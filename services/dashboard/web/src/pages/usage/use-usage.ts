import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { UsageAnswer } from '../../../../wire/usage.ts';
import { getJson } from '../../api/client.ts';
import type { Period } from './period.ts';

const LIVE_REFRESH_MS = 3_000;

/** The sums of a period. The previous answer stays until the new one has come. */
export function useUsage({ fromMs, toMs, width, isLive }: Period, seatId: string | undefined) {
  const query = { fromMs, toMs, width, seatId };
  return useQuery({
    queryKey: ['usage', query],
    // The width is kept with the answer, which may be shown while another one is asked for.
    queryFn: async ({ signal }) => ({
      ...(await getJson<UsageAnswer>('/api/usage', query, signal)),
      width,
    }),
    placeholderData: keepPreviousData,
    refetchInterval: isLive ? LIVE_REFRESH_MS : false,
  });
}
