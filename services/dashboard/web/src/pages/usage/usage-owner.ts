import type { KeysAnswer } from '../../../../wire/keys.ts';
import type { TeamsAnswer } from '../../../../wire/teams.ts';

export type UsageOwner =
  | { kind: 'account' }
  /** A seat of the account, even if it was removed: its keys are still known. */
  | { kind: 'own-seat' }
  /**
   * A seat of somebody else in a team of the account. Only sums are shown: its requests and keys belong to
   * that person.
   */
  | { kind: 'other-seat'; email: string; teamName: string }
  | { kind: 'unknown' };

/**
 * @param seatId undefined: what the account pays for itself
 * @returns undefined until the answers that it depends on have come
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

/** Single requests are shown only to the account that made them. */
export function hasRequests(owner: UsageOwner | undefined): boolean {
  return owner?.kind === 'account' || owner?.kind === 'own-seat';
}
