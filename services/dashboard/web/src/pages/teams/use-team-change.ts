import { useQueryClient } from '@tanstack/react-query';
import { useAction } from '../../api/use-action.ts';
import { keysKey } from '../keys/use-keys.ts';
import { teamsKey } from './use-teams.ts';

/** An action that changes teams, seats or money. What is shown is read again, also after a failure. */
export function useTeamChange<Arguments extends unknown[]>(act: (...args: Arguments) => Promise<void>) {
  const queryClient = useQueryClient();
  return useAction(async (...args: Arguments) => {
    try {
      await act(...args);
    } finally {
      // Seats decide which keys exist, and pools are part of the usage page.
      for (const queryKey of [teamsKey, keysKey, ['usage']]) {
        void queryClient.invalidateQueries({ queryKey });
      }
    }
  });
}
