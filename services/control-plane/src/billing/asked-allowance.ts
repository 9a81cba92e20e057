import type { AcquireAllowanceRequestMessage } from '@model-gateway/contracts';
import { ControlPlaneError } from '../errors/control-plane-error.ts';
import type { AskedAllowance } from './allowance-store.ts';
import { payerOf } from './payer-of.ts';

const MAX_NEEDS = 1_000;

/** @throws ControlPlaneError invalid_argument */
export function askedAllowance(message: AcquireAllowanceRequestMessage): AskedAllowance {
  const payer = payerOf(message.payer);
  const needs = message.needs.map(BigInt);
  if (
    message.allowanceId === '' ||
    message.instanceId === '' ||
    needs.length > MAX_NEEDS ||
    needs.includes(0n)
  ) {
    throw new ControlPlaneError('invalid_argument', 'an allowance needs ids, and at most 1000 needs above 0');
  }
  return {
    id: message.allowanceId,
    payer,
    needs,
    spare: BigInt(message.spare),
    returned: BigInt(message.returned),
  };
}
