import type { AcquireAllowancesRequestMessage } from '@model-gateway/contracts';
import { ControlPlaneError } from '../errors/control-plane-error.ts';
import type { AllowanceStore } from './allowance-store.ts';
import { askedAllowance, noLease } from './asked-allowance.ts';
import { requireFewDistinct } from './few-allowances.ts';

/**
 * Sets money aside for many payers at once. Nobody is waited for. What would have to be waited for is left
 * out, and its data plane asks for it alone: a payer whose pools are in use at this moment, or do not cover
 * even the first need, so that others must be asked for what they hold unused.
 * @throws ControlPlaneError invalid_argument; aborted (the data plane has no lease)
 */
export async function acquireAllowances(
  { allowanceStore }: { allowanceStore: Pick<AllowanceStore, 'acquireMany'> },
  { allowances }: AcquireAllowancesRequestMessage,
) {
  const [instanceId = '', ...others] = new Set(allowances.map((allowance) => allowance.instanceId));
  if (others.length > 0) throw new ControlPlaneError('invalid_argument', 'they are of several data planes');
  const asked = allowances.map(askedAllowance);
  requireFewDistinct(asked);
  const grants = await allowanceStore.acquireMany(instanceId, asked);
  if (grants.some(({ lapsed }) => lapsed)) throw noLease();
  const needing = new Set(asked.filter(({ needs }) => needs.length > 0).map(({ id }) => id));
  return {
    answers: Object.fromEntries(
      grants
        .filter(({ allowanceId, closed, covered }) => closed || covered > 0 || !needing.has(allowanceId))
        .map(({ allowanceId, lapsed: _lapsed, granted, ...grant }) => [
          allowanceId,
          { ...grant, granted: String(granted) },
        ]),
    ),
  };
}
