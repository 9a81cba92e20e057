import { useQueryClient } from '@tanstack/react-query';
import { useAction } from '../../api/use-action.ts';
import { keysKey } from '../keys/use-keys.ts';
import { teamsKey } from './use-teams.ts';

/** Runs an action that changes teams, seats or money, then refetches them. */
export function useTeamChange<Arguments extends unknown[]>(act: (...args: Arguments) => Promise<void>) {
  return useAction(useTeamRefetch(act));
}

/** Makes `act` refetch teams, keys and usage, also after a failure. */
export function useTeamRefetch<Arguments extends unknown[]>(act: (...args: Arguments) => Promise<void>) {
  const queryClient = useQueryClient();
  return async (...args: Arguments): Promise<void> => {
    try {
      await act(...args);
    } finally {
      // Removing a seat revokes keys, and the usage page shows pools.
      for (const queryKey of [teamsKey, keysKey, ['usage']]) {
        void queryClient.invalidateQueries({ queryKey });
      }
    }
  };
}
