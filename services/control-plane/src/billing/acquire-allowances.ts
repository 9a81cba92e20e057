import type { AcquireAllowancesRequestMessage } from '@model-gateway/contracts';
import { invalidArgument } from '../errors/control-plane-error.ts';
import { parseAllowanceRequest, requireDistinctAllowances } from './allowance-request.ts';
import type { AllowanceStore } from './allowance-store.ts';

/**
 * Sets money aside for many payers without waiting. Leaves out payers whose pools are locked or nearly empty,
 * and all payers when the data plane has no lease: it requests these one by one.
 * @throws ControlPlaneError invalid_argument
 */
export async function acquireAllowances(
  { allowanceStore }: { allowanceStore: Pick<AllowanceStore, 'acquireMany'> },
  { allowances }: AcquireAllowancesRequestMessage,
) {
  const [instanceId = '', ...others] = new Set(allowances.map((allowance) => allowance.instanceId));
  if (others.length > 0) throw invalidArgument('all allowances of a call need the same instance_id');
  const wanted = allowances.map(parseAllowanceRequest);
  requireDistinctAllowances(wanted);
  const needs = new Map(wanted.map((each) => [each.id, each.needs.length]));
  const grants = await allowanceStore.acquireMany(instanceId, wanted);
  return {
    answers: Object.fromEntries(
      grants.map(({ allowanceId, granted, recall }) => [
        allowanceId,
        { granted: String(granted), covered: needs.get(allowanceId) ?? 0, exact: false, recall },
      ]),
    ),
  };
}
