import type { KeyOwnerMessage } from '@model-gateway/contracts';
import type { KeyContext } from './key-context.ts';

/** Returns whose key it is, as the control plane is told. */
export function keyOwner({ accountId, seatId, teamId }: KeyContext): KeyOwnerMessage {
  return {
    accountId,
    ...(seatId === undefined ? {} : { seatId }),
    ...(teamId === undefined ? {} : { teamId }),
  };
}
