import type { KeyOwnerMessage } from '@model-gateway/contracts';
import type { KeyContext } from './key-context.ts';

/** Returns the owner of a key for messages to the control plane. */
export function keyOwner({ accountId, seatId, teamId }: KeyContext): KeyOwnerMessage {
  return {
    accountId,
    ...(seatId === undefined ? {} : { seatId }),
    ...(teamId === undefined ? {} : { teamId }),
  };
}
