import { QueryClient } from '@tanstack/react-query';
import { ApiError, onSignedOut } from './client.ts';

const retryMs = 5_000;

/** What is read from the server, kept while the page is open; nothing secret is ever put in it. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      retry: (failures, error) => failures < 1 && isPassing(error),
      // What could not be read comes by itself as soon as it can be.
      refetchInterval: ({ state }) => (state.error !== null && isPassing(state.error) ? retryMs : false),
    },
    mutations: { retry: false },
  },
});

export const sessionKey = ['session'];

onSignedOut(() => {
  void queryClient.invalidateQueries({ queryKey: sessionKey });
});

/** Trying again may help: no answer, or the server's own trouble. */
function isPassing(error: unknown): boolean {
  return !(error instanceof ApiError) || error.status === 0 || error.status >= 500;
}
