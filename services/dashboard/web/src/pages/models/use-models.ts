import { useQuery } from '@tanstack/react-query';
import type { ModelsAnswer } from '../../../../wire/status.ts';
import { getJson } from '../../api/client.ts';

const REFRESH_MS = 15_000;

/** The catalog, with the state of each model. */
export function useModels() {
  return useQuery({
    queryKey: ['models'],
    queryFn: ({ signal }) => getJson<ModelsAnswer>('/api/models', {}, signal),
    refetchInterval: REFRESH_MS,
  });
}
