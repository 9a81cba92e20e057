import { useQuery } from '@tanstack/react-query';
import type { TeamsResponse } from '../../../../wire/teams.ts';
import { getJson } from '../../api/client.ts';

export const teamsKey = ['teams'];

/** Reads the teams that the account owns or has a seat in. @param isNeeded false: sends no request */
export function useTeams(isNeeded = true) {
  return useQuery({
    queryKey: teamsKey,
    queryFn: ({ signal }) => getJson<TeamsResponse>('/api/teams', {}, signal),
    enabled: isNeeded,
  });
}
