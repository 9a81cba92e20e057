import { useQuery } from '@tanstack/react-query';
import type { TeamsAnswer } from '../../../../wire/teams.ts';
import { getJson } from '../../api/client.ts';

export const teamsKey = ['teams'];

/** The teams that the account owns or has a seat in. @param isNeeded false: nothing is asked */
export function useTeams(isNeeded = true) {
  return useQuery({
    queryKey: teamsKey,
    queryFn: ({ signal }) => getJson<TeamsAnswer>('/api/teams', {}, signal),
    enabled: isNeeded,
  });
}
