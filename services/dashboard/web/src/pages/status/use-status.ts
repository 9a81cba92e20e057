import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { StatusResponse } from '../../../../wire/status.ts';
import { getJson } from '../../api/client.ts';
import { useNow } from '../../format/use-now.ts';
import { isStale } from './is-stale.ts';

const REFRESH_MS = 5_000;
const TICK_MS = 1_000;

/** Reads the status every 5 s. */
export function useStatusResponse() {
  return useQuery({
    queryKey: ['status'],
    queryFn: ({ signal }) => getJson<StatusResponse>('/api/status', {}, signal),
    refetchInterval: REFRESH_MS,
  });
}

/** Reads the status and decides whether it is out of date. */
export function useStatus() {
  const status = useStatusResponse();
  const nowMs = useNow(TICK_MS);
  const readAtMs = status.data?.readAtMs;
  const [seen, setSeen] = useState<{ readAtMs: number; newAtMs: number | undefined }>();
  useEffect(() => {
    if (readAtMs === undefined) return;
    setSeen((old) =>
      old?.readAtMs === readAtMs ? old : { readAtMs, newAtMs: old === undefined ? undefined : Date.now() },
    );
  }, [readAtMs]);
  return {
    status,
    nowMs,
    isStale: readAtMs !== undefined && isStale({ readAtMs, newAtMs: seen?.newAtMs, nowMs }),
  };
}
