import type { KeysResponse } from '../../../../wire/keys.ts';
import type { TeamsResponse } from '../../../../wire/teams.ts';

export type UsageOwner =
  | { kind: 'account' }
  /** A seat of the account, active or removed. */
  | { kind: 'own-seat' }
  /** Another person's seat in a team of the account: only sums are visible. */
  | { kind: 'other-seat'; email: string; teamName: string }
  | { kind: 'unknown' };

/**
 * Finds out whose usage is shown; undefined while the data for that is loading.
 * @param seatId undefined: the account
 */
export function findUsageOwner(
  seatId: string | undefined,
  keys: KeysResponse | undefined,
  teams: TeamsResponse | undefined,
): UsageOwner | undefined {
  if (seatId === undefined) return { kind: 'account' };
  const isOwn =
    keys?.seats.some(({ id }) => id === seatId) || keys?.keys.some(({ seat }) => seat?.id === seatId);
  if (isOwn) return { kind: 'own-seat' };
  for (const { name, seats } of teams?.teams ?? []) {
    const seat = seats.find(({ id }) => id === seatId);
    if (seat !== undefined && !seat.isOwn) return { kind: 'other-seat', email: seat.email, teamName: name };
  }
  return keys === undefined || teams === undefined ? undefined : { kind: 'unknown' };
}

/** Returns true if the account may see single requests: only its own. */
export function maySeeRequests(owner: UsageOwner | undefined): boolean {
  return owner?.kind === 'account' || owner?.kind === 'own-seat';
}
