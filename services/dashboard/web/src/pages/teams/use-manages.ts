import type { Team } from '../../../../wire/teams.ts';
import { useMay } from '../../session/use-may.ts';

/** Returns true if the user may change the team: as an admin of the account that owns it. */
export function useManages({ role }: Team): boolean {
  return useMay('admin') && role === 'owner';
}
