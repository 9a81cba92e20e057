import { useQuery } from '@tanstack/react-query';
import type { ModelsResponse } from '../../../../wire/status.ts';
import { getJson } from '../../api/client.ts';
import { useSession } from '../../session/use-session.ts';

const REFRESH_MS = 15_000;

/** Reads the catalog with the prices of the account, if there is one, and again every 15 s for the states. */
export function useModels() {
  const session = useSession();
  const accountId = session.data?.user?.accountId;
  return useQuery({
    queryKey: ['models', accountId],
    queryFn: ({ signal }) =>
      getJson<ModelsResponse>(accountId === undefined ? '/api/models' : '/api/account/models', {}, signal),
    enabled: !session.isPending,
    refetchInterval: REFRESH_MS,
  });
}
