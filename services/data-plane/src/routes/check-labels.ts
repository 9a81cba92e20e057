import type { BodyLabels, Capability } from '@model-gateway/shared';
import type { DataPlaneContext } from '../context.ts';
import type { AuthenticatedExchange } from '../http/exchange.ts';
import { readLabels } from '../steps/read-labels.ts';
import { refuseForbidden, refuseUnlabelled } from '../steps/refuse-forbidden.ts';

export interface LabelledRequest {
  labels: BodyLabels | undefined;
  capability: Capability;
  /** True for a request that costs nothing, and so needs no labels. */
  isFree?: boolean;
}

/**
 * Reads the labels of a request, and checks that those are there which its rules require. Also checks its
 * address and endpoint against the rules of its end user. Sets `record.endUserRules`.
 * @throws GatewayError 400, 403; 503 if the rules of its end user cannot be found
 */
export async function checkLabels(
  { endUserRules }: Pick<DataPlaneContext, 'endUserRules'>,
  exchange: AuthenticatedExchange,
  { capability, isFree = false, labels }: LabelledRequest,
): Promise<void> {
  const { record } = exchange;
  readLabels(exchange, labels);
  if (record.endUser !== undefined && record.key.endUsers !== undefined)
    record.endUserRules = await endUserRules.resolve(record.key, record.endUser);
  if (record.endUserRules !== undefined) refuseForbidden(record, record.endUserRules, capability);
  if (!isFree) refuseUnlabelled(record);
}
