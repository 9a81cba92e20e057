import { useQuery } from '@tanstack/react-query';
import type { TeamsAnswer } from '../../../../wire/teams.ts';
import { getJson } from '../../api/client.ts';

export const teamsKey = ['teams'];

/** The teams that the account owns or sits in. */
export function useTeams() {
  return useQuery({
    queryKey: teamsKey,
    queryFn: ({ signal }) => getJson<TeamsAnswer>('/api/teams', {}, signal),
  });
}
