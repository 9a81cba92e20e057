import type { AcquireAllowancesRequestMessage } from '@model-gateway/contracts';
import { ControlPlaneError } from '../errors/control-plane-error.ts';
import type { AllowanceStore } from './allowance-store.ts';
import { askedAllowance } from './asked-allowance.ts';
import { requireFewDistinct } from './few-allowances.ts';

/**
 * Sets money aside for many payers who have plenty. Nobody is waited for. All others are left out, and their
 * data plane asks for each of them alone: a payer whose pools are in use at this moment, or nearly empty, so
 * that others may have to be asked for what they hold unused; and all of them when the data plane has no
 * lease.
 * @throws ControlPlaneError invalid_argument
 */
export async function acquireAllowances(
  { allowanceStore }: { allowanceStore: Pick<AllowanceStore, 'acquireMany'> },
  { allowances }: AcquireAllowancesRequestMessage,
) {
  const [instanceId = '', ...others] = new Set(allowances.map((allowance) => allowance.instanceId));
  if (others.length > 0) throw new ControlPlaneError('invalid_argument', 'they are of several data planes');
  const asked = allowances.map(askedAllowance);
  requireFewDistinct(asked);
  const needs = new Map(asked.map((each) => [each.id, each.needs.length]));
  const grants = await allowanceStore.acquireMany(instanceId, asked);
  return {
    answers: Object.fromEntries(
      grants.map(({ allowanceId, granted, recall }) => [
        allowanceId,
        { granted: String(granted), covered: needs.get(allowanceId) ?? 0, exact: false, recall },
      ]),
    ),
  };
}
