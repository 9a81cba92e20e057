import type { AcquireAllowancesRequestMessage } from '@model-gateway/contracts';
import { invalidArgument } from '../errors/control-plane-error.ts';
import { parseAllowanceRequest, requireDistinctAllowances } from './allowance-request.ts';
import type { AllowanceStore } from './allowance-store.ts';

/**
 * Sets money aside for many payers without waiting. Leaves out payers whose pools are locked or nearly empty,
 * and everybody when the data plane has no lease: those are requested one by one.
 * @throws ControlPlaneError invalid_argument
 */
export async function acquireAllowances(
  { allowanceStore }: { allowanceStore: Pick<AllowanceStore, 'acquireMany'> },
  { allowances }: AcquireAllowancesRequestMessage,
) {
  const [instanceId = '', ...others] = new Set(allowances.map((allowance) => allowance.instanceId));
  if (others.length > 0) throw invalidArgument('they are of several data planes');
  const asked = allowances.map(parseAllowanceRequest);
  requireDistinctAllowances(asked);
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
