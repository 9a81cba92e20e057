import type { KeyOwnerMessage } from '@model-gateway/contracts';
import { invalidArgument } from '../errors/control-plane-error.ts';

/** Selects an account's keys on no seat, or those on one of its seats. */
export interface StoredKeyOwner {
  accountId: string;
  seatId: string | null;
  teamId: string | null;
}

export function requireKeyOwner(message: KeyOwnerMessage | null): StoredKeyOwner {
  if (message === null || message.accountId === '' || (message.seatId && !message.teamId)) {
    throw invalidArgument('keys belong to an account, or to its seat in a team');
  }
  const { accountId, seatId, teamId } = message;
  return { accountId, seatId: seatId || null, teamId: teamId || null };
}
