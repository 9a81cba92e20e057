import { useQuery } from '@tanstack/react-query';
import type { ModelsResponse } from '../../../../wire/status.ts';
import { getJson } from '../../api/client.ts';

const REFRESH_MS = 15_000;

/** Reads the catalog, and again every 15 s for the states. */
export function useModels() {
  return useQuery({
    queryKey: ['models'],
    queryFn: ({ signal }) => getJson<ModelsResponse>('/api/models', {}, signal),
    refetchInterval: REFRESH_MS,
  });
}
