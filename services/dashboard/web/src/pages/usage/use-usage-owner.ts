import { useKeys } from '../keys/use-keys.ts';
import { useTeams } from '../teams/use-teams.ts';
import { findUsageOwner, type UsageOwner } from './find-usage-owner.ts';

/** Returns the owner of the shown usage; undefined while loading. */
export function useUsageOwner(seatId: string | undefined): UsageOwner | undefined {
  const keys = useKeys().data;
  const known = findUsageOwner(seatId, keys, undefined);
  // Other people's seats are only in the teams.
  const teams = useTeams(keys !== undefined && known === undefined);
  return known ?? findUsageOwner(seatId, keys, teams.data);
}
