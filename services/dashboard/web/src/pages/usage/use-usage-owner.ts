import { useKeys } from '../keys/use-keys.ts';
import { useTeams } from '../teams/use-teams.ts';
import { type UsageOwner, usageOwner } from './usage-owner.ts';

/** The owner of the shown usage; undefined: not known yet. */
export function useUsageOwner(seatId: string | undefined): UsageOwner | undefined {
  const keys = useKeys().data;
  const known = usageOwner(seatId, keys, undefined);
  // Only the teams tell of other people's seats.
  const teams = useTeams(keys !== undefined && known === undefined);
  return known ?? usageOwner(seatId, keys, teams.data);
}
