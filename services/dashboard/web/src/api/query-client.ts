import { QueryClient } from '@tanstack/react-query';
import { ApiError, onSignedOut } from './client.ts';

const retryMs = 5_000;

/** Caches server responses while the page is open. Never put a secret into it. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      retry: (failures, error) => failures < 1 && isTransient(error),
      // Repeats a failed read until it succeeds, so that the page recovers by itself.
      refetchInterval: ({ state }) => (state.error !== null && isTransient(state.error) ? retryMs : false),
    },
    mutations: { retry: false },
  },
});

export const sessionKey = ['session'];

onSignedOut(() => {
  void queryClient.invalidateQueries({ queryKey: sessionKey });
});

/** Returns true if a retry may help: a network failure or a 5xx. */
export function isTransient(error: unknown): boolean {
  return !(error instanceof ApiError) || error.status === 0 || error.status >= 500;
}
