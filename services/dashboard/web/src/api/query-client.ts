import { QueryClient } from '@tanstack/react-query';
import { ApiError, onSignedOut } from './client.ts';

const retryMs = 5_000;

/** The answers of the server, kept while the page is open. Nothing secret is ever put in it. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      retry: (failures, error) => failures < 1 && isPassing(error),
      // A failed read is repeated until it succeeds, so that the page recovers by itself.
      refetchInterval: ({ state }) => (state.error !== null && isPassing(state.error) ? retryMs : false),
    },
    mutations: { retry: false },
  },
});

export const sessionKey = ['session'];

onSignedOut(() => {
  void queryClient.invalidateQueries({ queryKey: sessionKey });
});

/** Returns true if trying again may help: there was no answer, or the server itself failed. */
function isPassing(error: unknown): boolean {
  return !(error instanceof ApiError) || error.status === 0 || error.status >= 500;
}
