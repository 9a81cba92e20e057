import { reauthenticationRequired } from '../errors/sign-in-errors.ts';
import type { HolderSession } from '../sign-in/holder-session.ts';

/** A sign-in, or a later proof, counts this long. */
const VALID_MS = 10 * 60_000;

/**
 * Requires that the session's user has proved who they are in the last ten minutes, so that a stolen or
 * forgotten session is not enough. @throws DashboardError reauthentication_required
 */
export function requireProof({ provedAt }: Pick<HolderSession, 'provedAt'>): void {
  if (!isRecentProof(provedAt)) throw reauthenticationRequired();
}

/** Tells whether a proof of this time still counts. */
export function isRecentProof(provedAt: Date): boolean {
  return Date.now() - provedAt.getTime() <= VALID_MS;
}
