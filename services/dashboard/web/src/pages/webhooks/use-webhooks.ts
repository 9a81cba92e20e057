import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { refreshManagement } from '../../api/use-management.ts';
import { listAccountWebhooks, useWebhookSource } from './webhook-source.ts';

export const REFETCH_MS = 10_000;

/** Reads the webhooks of the user's account. */
export function useAccountWebhooks() {
  return useQuery({
    queryKey: ['webhooks'],
    queryFn: ({ signal }) => listAccountWebhooks(signal),
    refetchInterval: REFETCH_MS,
  });
}

/** Reads one; null: there is no such webhook. */
export function useWebhook(id: string) {
  const source = useWebhookSource();
  return useQuery({
    queryKey: ['webhooks', source.path, id],
    queryFn: ({ signal }) => source.get(id, signal),
    refetchInterval: REFETCH_MS,
  });
}

/** Reads what was delivered, newest first. @param state undefined: all */
export function useDeliveries(id: string, state: string | undefined) {
  const source = useWebhookSource();
  return useInfiniteQuery({
    queryKey: ['webhooks', source.path, id, 'deliveries', state],
    queryFn: ({ pageParam, signal }) => source.deliveries(id, { state, cursor: pageParam }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    refetchInterval: REFETCH_MS,
  });
}

/** Makes an action read the webhooks again after it. */
export function useWebhooksRefetch<Arguments extends unknown[], Result>(
  act: (...args: Arguments) => Promise<Result>,
): (...args: Arguments) => Promise<void> {
  const queryClient = useQueryClient();
  return async (...args) => {
    await act(...args);
    await Promise.all([queryClient.invalidateQueries({ queryKey: ['webhooks'] }), refreshManagement()]);
  };
}
