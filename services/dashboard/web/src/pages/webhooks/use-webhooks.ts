import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useWebhookSource } from './webhook-source.ts';

const REFETCH_MS = 10_000;

export function useWebhooks() {
  const source = useWebhookSource();
  return useQuery({
    queryKey: ['webhooks', source.path],
    queryFn: ({ signal }) => source.list(signal),
    refetchInterval: REFETCH_MS,
  });
}

/** Reads what was delivered, newest first. @param state undefined: all */
export function useDeliveries(id: string, state: string | undefined) {
  const source = useWebhookSource();
  return useInfiniteQuery({
    queryKey: ['webhooks', source.path, id, state],
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
    await queryClient.invalidateQueries({ queryKey: ['webhooks'] });
  };
}
