import type { PayerMessage } from '@model-gateway/contracts';
import { ControlPlaneError } from '../errors/control-plane-error.ts';
import type { Payer } from './allowance-store.ts';

/** @throws ControlPlaneError invalid_argument */
export function payerOf(message: PayerMessage | null): Payer {
  if (message === null || message.accountId === '' || (message.seatId && !message.teamId)) {
    throw new ControlPlaneError('invalid_argument', 'a payer is an account, or a seat with its team');
  }
  const { accountId, seatId, teamId } = message;
  return { accountId, seatId: seatId || null, teamId: teamId || null };
}
