import { useQueryClient } from '@tanstack/react-query';
import { useAction } from '../../api/use-action.ts';
import { keysKey } from '../keys/use-keys.ts';
import { teamsKey } from './use-teams.ts';

/** Runs an action that changes teams, seats or money, then refetches them, also after a failure. */
export function useTeamChange<Arguments extends unknown[]>(act: (...args: Arguments) => Promise<void>) {
  const queryClient = useQueryClient();
  return useAction(async (...args: Arguments) => {
    try {
      await act(...args);
    } finally {
      // Removing a seat revokes keys, and the usage page shows pools.
      for (const queryKey of [teamsKey, keysKey, ['usage']]) {
        void queryClient.invalidateQueries({ queryKey });
      }
    }
  });
}
