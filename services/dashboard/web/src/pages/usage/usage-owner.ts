import type { KeysAnswer } from '../../../../wire/keys.ts';
import type { TeamsAnswer } from '../../../../wire/teams.ts';

/** Whose usage is looked at. */
export type UsageOwner =
  | { kind: 'account' }
  /** Also one that was removed: its keys are still known. */
  | { kind: 'own-seat' }
  /** In a team of one's own: sums only, its requests and keys are those of whoever sits there. */
  | { kind: 'other-seat'; email: string; teamName: string }
  | { kind: 'unknown' };

/**
 * @param seatId undefined: what the account pays itself
 * @returns undefined as long as the answers that it depends on have not come
 */
export function usageOwner(
  seatId: string | undefined,
  keys: KeysAnswer | undefined,
  teams: TeamsAnswer | undefined,
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

/** Single requests are shown to nobody but whoever has made them. */
export function hasRequests(owner: UsageOwner | undefined): boolean {
  return owner?.kind === 'account' || owner?.kind === 'own-seat';
}
